package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/assembly"
	"example.com/relationindex/audit/entries"
	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/feed/pages"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// A Form is a configuration of timelines.
type Form string

// The forms. Half of them have relations beside timelines, and half bring all posts to a
// new follower.
const (
	Items   Form = "items"   // that comments lift; beside relations, with a backfill of all posts
	Buckets Form = "buckets" // of 3, so that many are closed; alone, with a backfill of all posts
	Ring    Form = "ring"    // buckets of 1 with a cap of 5, so that most wrap; alone, with a backfill of 5
	Days    Form = "days"    // of posts of three weeks; beside relations, without a backfill
)

// Forms are all forms.
var Forms = []Form{Items, Buckets, Ring, Days}

// ParseForm reads a flag; "": no timelines.
func ParseForm(text string) (Form, error) {
	if f := Form(text); text == "" || slices.Contains(Forms, f) {
		return f, nil
	}
	return "", fmt.Errorf("timeline %q: must be items, buckets, ring or days", text)
}

// allPosts is a backfill of more posts than an audience has.
const allPosts = 1000

// idleAfter is after how long a reader is idle. A run is much shorter.
const idleAfter = 48 * time.Hour

// configure turns the form on, with all that readers decide.
func (f Form) configure(cfg *config.Functions) {
	cfg.ReaderSettings, cfg.Idle, cfg.Ranked = true, idleAfter, f == Items
	switch f {
	case Items:
		cfg.Timeline, cfg.Backfill = schema.LayoutItems, allPosts
	case Buckets:
		cfg.Timeline, cfg.Bucket, cfg.Backfill, cfg.RelationsOff = schema.LayoutBuckets, 3, allPosts, true
	case Ring:
		cfg.Timeline, cfg.Bucket, cfg.Cap, cfg.Backfill, cfg.RelationsOff = schema.LayoutBuckets, 1, 5, 5, true
	case Days:
		cfg.Timeline = schema.LayoutDays
	}
}

// span is the time that the posts of a run are of; 0: the workload's.
func (f Form) span() time.Duration {
	if f == Days {
		return 21 * 24 * time.Hour
	}
	return 0
}

// Timelines reads timelines as the product does.
type Timelines struct {
	delivery *timelines.Delivery
	function *feed.Feed
	client   *firestore.Client
	cfg      config.Functions
}

// OpenTimelines makes what reads the timelines of a configuration.
func OpenTimelines(client *firestore.Client, cfg config.Functions) (*Timelines, error) {
	system, err := assembly.New(client, chunker.New(client, chunker.Options{}), functions.RelationsOptions(cfg))
	if err != nil {
		return nil, err
	}
	if system.Timelines == nil {
		return nil, errors.New("the configuration has no timelines")
	}
	return &Timelines{system.Timelines, feed.New(client, functions.FeedOptions(cfg)), client, cfg}, nil
}

// List is the reader's whole timeline.
func (t *Timelines) List(ctx context.Context, reader string) ([]layout.Entry, error) {
	return pages.Newest(ctx, t.delivery.Database(), t.delivery.Layout(), reader, 1_000_000)
}

// Pages is the reader's whole timeline as the function Feed reads it.
func (t *Timelines) Pages(ctx context.Context, reader string, limit int) ([]Entry, error) {
	return paged(ctx, t.function.Timeline, reader, limit)
}

// Verify reports what Check of the delivery finds.
func (t *Timelines) Verify(ctx context.Context, report func(format string, args ...any)) (entries.Checked, error) {
	return t.verify(ctx, func(p entries.Problem) { report("verify-timelines: %v", p) })
}

func (t *Timelines) verify(ctx context.Context, report func(entries.Problem)) (entries.Checked, error) {
	return entries.Check(ctx, t.delivery, entries.Options{Report: report})
}

// buckets is what documents of a reader's timeline of buckets say.
type buckets struct {
	sequence int64     // of open
	oldest   time.Time // createdAt of what a full ring may have pushed or left out, at most; zero: it is not full

	created map[string]time.Time // by id: when the documents were created, those of items too
}

// buckets reads them.
func (t *Timelines) buckets(ctx context.Context, reader string) (b buckets, err error) {
	docs, err := t.client.Collection("users/" + reader + "/timeline").Documents(ctx).GetAll()
	if err != nil {
		return b, err
	}
	from := map[int64]time.Time{} // where each bucket begins, by sequence
	var total int64
	b.created = map[string]time.Time{}
	for _, doc := range docs {
		var d struct {
			Sequence int64  `firestore:"sequence"`
			Total    int64  `firestore:"total"`
			From     string `firestore:"from"`
		}
		b.created[doc.Ref.ID] = doc.CreateTime
		if err := doc.DataTo(&d); err != nil {
			return b, err
		}
		if doc.Ref.ID == "open" {
			b.sequence, total = d.Sequence, d.Total
		}
		at, _, _ := strings.Cut(d.From, "/")
		if micros, err := strconv.ParseInt(at, 10, 64); err == nil {
			from[d.Sequence] = time.UnixMicro(micros)
		}
	}
	if slots := t.slots(); slots > 0 && (b.sequence > slots || total >= int64(t.cfg.Cap)) {
		b.oldest = from[max(1, b.sequence-slots)+1] // the oldest bucket leaves out what comes late
	}
	return b, nil
}

// slots is how many closed buckets a ring has; 0: there is no ring.
func (t *Timelines) slots() int64 {
	if t.cfg.Cap == 0 {
		return 0
	}
	return int64(t.cfg.Cap / t.cfg.Bucket)
}

// Shown returns entries as clients see them.
func Shown(entries []layout.Entry) []Entry {
	all := make([]Entry, len(entries))
	for n, e := range entries {
		text, _ := e.Copies["text"].(string)
		all[n] = Entry{Post: e.Post, Text: text, CreatedAt: time.UnixMicro(e.At)}
	}
	return all
}

// expected is what a timeline may and has to show.
type expected struct {
	may    map[string]Entry
	must   map[string]bool
	hidden map[string]bool  // posts whose entries are marked, alone
	places map[string]place // of posts that comments lift; others stand at their createdAt
	limit  int              // entries, at most; 0: all
}

// CompareTimeline says how a reader's timeline differs from what it may and has to show; ""
// if it does not. It shows each post once, as the post is, and at most limit; 0: all.
// Buckets come one after the other, and entries of a bucket, and of what has no buckets, by
// createdAt and id.
func CompareTimeline(got []layout.Entry, may map[string]Entry, must map[string]bool, limit int) string {
	return expected{may: may, must: must, limit: limit}.compare(got)
}

// compare says how a timeline differs; "" if it does not.
func (x expected) compare(got []layout.Entry) string {
	var wrong []string
	seen := map[string]bool{}
	var last layout.Entry
	for n, entry := range got {
		e := Shown([]layout.Entry{entry})[0]
		want, ok := x.may[e.Post]
		place, ranked := x.places[e.Post]
		if ranked {
			want.CreatedAt = e.CreatedAt
		}
		switch {
		case seen[e.Post]:
			wrong = append(wrong, fmt.Sprintf("%s is there twice", e.Post))
		case !ok:
			wrong = append(wrong, fmt.Sprintf("%s does not reach the reader", e))
		case !e.same(want):
			wrong = append(wrong, fmt.Sprintf("%s, want %s", e, want))
		case ranked && !place.has(e.CreatedAt):
			wrong = append(wrong, fmt.Sprintf("%s, want %v", e, place))
		case entry.Hidden != x.hidden[e.Post]:
			wrong = append(wrong, fmt.Sprintf("%s has the mark %t, want %t", e, entry.Hidden, x.hidden[e.Post]))
		}
		seen[e.Post] = true
		if n > 0 && !inOrder(last, entry) {
			wrong = append(wrong, fmt.Sprintf("%s comes after %s", e, last.Post))
		}
		last = entry
	}
	for _, p := range slices.Sorted(maps.Keys(x.must)) {
		if !seen[p] {
			wrong = append(wrong, fmt.Sprintf("%s is missing", x.may[p]))
		}
	}
	if x.limit > 0 && len(got) > x.limit {
		wrong = append(wrong, fmt.Sprintf("%d posts, want at most %d", len(got), x.limit))
	}
	if len(wrong) == 0 {
		return ""
	}
	const most = 3
	return fmt.Sprintf("%d posts, may have %d: %s", len(got), len(x.may), strings.Join(wrong[:min(most, len(wrong))], "; "))
}

// inOrder reports whether b may come right after a.
func inOrder(a, b layout.Entry) bool {
	if a.Sequence != b.Sequence {
		return a.Sequence > b.Sequence
	}
	return a.At > b.At || a.At == b.At && a.Post > b.Post
}
