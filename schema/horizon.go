package schema

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema/names"
)

// MaxHorizon is the largest horizon: an event's handler writes as many relations.
const MaxHorizon = 1000

// HorizonTTL is how long a process may go on with a horizon that it has read.
const HorizonTTL = time.Minute

// Horizon is _settings/horizon: for how many of an audience's newest posts there are
// relations, at least. 0, or no document: for all of them. The command relationindex
// horizon writes it.
type Horizon struct {
	// Feed is what readers may rely on. It is never more than Kept, where 0 is the most.
	Feed int `firestore:"feed" json:"feed"`
	// Kept is what the functions keep.
	Kept int `firestore:"kept" json:"kept"`
}

// HorizonDocument returns _settings/horizon.
func HorizonDocument(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.Settings).Doc("horizon")
}

// DecodeHorizon returns the horizon in its document, and the zero value if there is none.
func DecodeHorizon(doc *firestore.DocumentSnapshot) (Horizon, error) {
	if !doc.Exists() {
		return Horizon{}, nil
	}
	var h Horizon
	err := doc.DataTo(&h)
	if err == nil {
		err = h.check()
	}
	if err != nil {
		return Horizon{}, fmt.Errorf("%s: %w: run relationindex horizon POSTS", doc.Ref.Path, err)
	}
	return h, nil
}

func (h Horizon) check() error {
	if h.Feed < 0 || h.Kept < 0 || h.Feed > MaxHorizon || h.Kept > MaxHorizon || h.Kept > 0 && (h.Feed == 0 || h.Feed > h.Kept) {
		return fmt.Errorf("feed %d and kept %d: both must be 0 to %d, and feed no more than kept, where 0 is the most", h.Feed, h.Kept, MaxHorizon)
	}
	return nil
}

// BeginHorizon stores the horizon of a database that has no posts yet, unless one is stored.
// Call relationindex horizon for others.
func BeginHorizon(ctx context.Context, client *firestore.Client, horizon int) error {
	if horizon == 0 {
		return nil
	}
	_, err := HorizonDocument(client).Create(ctx, Horizon{Feed: horizon, Kept: horizon})
	if status.Code(err) == codes.AlreadyExists {
		err = nil
	}
	return err
}

// ErrHorizonUnused means that the stored horizon would not be used: the configuration of
// this process has none.
var ErrHorizonUnused = errors.New("the database has a horizon, and RELATIONINDEX_HORIZON is not set: set it to what the functions were deployed with. To end the horizon, run 'relationindex horizon 0' with it set, and deploy without it then")

// CheckHorizon returns [ErrHorizonUnused] if relations of db may be missing, and a process
// with these options would not know. It costs a read if the options have no horizon.
func (db *Database) CheckHorizon(ctx context.Context) error {
	if db.Options.Horizon > 0 {
		return nil
	}
	stored, err := NewHorizons(db.Client, true).Read(ctx)
	if err == nil && stored != (Horizon{}) {
		err = fmt.Errorf("%s: %d posts: %w", HorizonDocument(db.Client).Path, max(stored.Feed, stored.Kept), ErrHorizonUnused)
	}
	return err
}

// KeptAtMost returns how many posts of an audience have relations before the oldest lose
// theirs: a tenth more than the horizon, so that it is cheap.
func KeptAtMost(horizon int) int { return horizon + horizon/10 }

// keptMargin is how many posts more may have relations when the oldest lose theirs: only
// every second post looks.
const keptMargin = 10

// Horizons reads the horizon of a database. It is safe for concurrent use.
type Horizons struct {
	client *firestore.Client
	used   bool
	mu     sync.Mutex
	at     time.Time
	last   Horizon
}

// NewHorizons returns the horizons of a client's database. If the configuration has no
// horizon, used is false, and Read costs nothing.
func NewHorizons(client *firestore.Client, used bool) *Horizons {
	return &Horizons{client: client, used: used}
}

// Read returns the horizon as it was at most [HorizonTTL] ago. It costs a read each time
// that it looks. It returns an error for a document that is damaged: events are redelivered.
func (h *Horizons) Read(ctx context.Context) (Horizon, error) {
	if !h.used {
		return Horizon{}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.at.IsZero() && time.Since(h.at) < HorizonTTL {
		return h.last, nil
	}
	began := time.Now()
	docs, err := h.client.GetAll(ctx, []*firestore.DocumentRef{HorizonDocument(h.client)})
	if err != nil {
		return Horizon{}, fmt.Errorf("horizon: %w", err)
	}
	now, err := DecodeHorizon(docs[0])
	if err != nil {
		return Horizon{}, err
	}
	h.last, h.at = now, began
	return now, nil
}

// Forget makes the next Read look again.
func (h *Horizons) Forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = time.Time{}
}
