package designs

import (
	"context"
	"log/slog"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Backfill is how many posts of an author fan-out on write copies to somebody
// who begins to follow: the newest ones. With fewer, a new follower's feed is
// emptier than it should be as soon as some of these are deleted; with more,
// each follow costs more. The tutorials copy none.
const Backfill = 100

// FanOutOnWrite is the delivery by timelines, without relations: users/{reader}/timeline/{post}
// is an entry of each post for each follower.
type FanOutOnWrite struct{ *deployed }

// FanOutOnWriteConfig is cfg for the design.
func FanOutOnWriteConfig(cfg config.Functions) config.Functions {
	cfg.Timeline, cfg.Backfill, cfg.RelationsOff = schema.LayoutItems, Backfill, true
	return cfg
}

// NewFanOutOnWrite is the design on a project of the machine that nothing has used.
func NewFanOutOnWrite(ctx context.Context, machine *local.Machine, project string, cfg config.Functions, logger *slog.Logger) (FanOutOnWrite, error) {
	d, err := newDeployed(ctx, machine, project, FanOutOnWriteConfig(cfg), logger)
	return FanOutOnWrite{d}, err
}

// Feed is the query that clients make. It costs a read for each post (at least one).
func (d FanOutOnWrite) Feed(ctx context.Context, reader string, limit int) ([]Post, error) {
	docs, err := d.client.Collection(users).Doc(reader).Collection(names.Timeline).
		OrderBy("at", firestore.Desc).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, err
	}
	page := make([]Post, len(docs))
	for n, doc := range docs {
		var entry struct {
			Post   string `firestore:"post"`
			Author string `firestore:"author"`
			At     int64  `firestore:"at"` // in microseconds
			Fields struct {
				Text string `firestore:"text"`
			} `firestore:"fields"`
		}
		if err := doc.DataTo(&entry); err != nil {
			return nil, err
		}
		page[n] = Post{entry.Post, entry.Author, time.UnixMicro(entry.At), entry.Fields.Text}
	}
	return page, nil
}
