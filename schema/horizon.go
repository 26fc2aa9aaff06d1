package schema

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

const (
	// MinHorizon is the shortest horizon.
	MinHorizon = time.Hour
	// MaxHorizon is the longest horizon.
	MaxHorizon = 10 * 365 * 24 * time.Hour

	// HorizonMargin is how much longer than the horizon functions keep relations: clocks
	// differ, and queries take time.
	HorizonMargin = time.Hour

	// HorizonTTL is how long a process may go on with a horizon that it has read. Transactions read it
	// again in each try.
	HorizonTTL = time.Minute
)

// Horizon is _settings/horizon: the greatest age, by createdAt, of posts with relations. 0, or
// no document: there is no limit. The command relationindex horizon writes it.
type Horizon struct {
	// Feed is the age that readers may rely on. It is never longer than Kept; 0 means no limit, which is
	// longer than any duration.
	Feed time.Duration
	// Kept is the age up to which functions keep relations.
	Kept time.Duration
}

// horizonFields are the fields of the document. Its durations look like "720h0m0s".
type horizonFields struct {
	Feed string `firestore:"feed"`
	Kept string `firestore:"kept"`
}

// HorizonDocument returns _settings/horizon.
func HorizonDocument(client *firestore.Client) *firestore.DocumentRef {
	return client.Collection(names.SystemSettings).Doc("horizon")
}

// Fields returns the fields of the document of h.
func (h Horizon) Fields() any { return horizonFields{h.Feed.String(), h.Kept.String()} }

// DecodeHorizon returns the horizon in its document, and the zero value if there is none.
func DecodeHorizon(doc *firestore.DocumentSnapshot) (h Horizon, err error) {
	if !doc.Exists() {
		return Horizon{}, nil
	}
	var f horizonFields
	if err = doc.DataTo(&f); err == nil {
		h.Feed, err = time.ParseDuration(f.Feed)
	}
	if err == nil {
		h.Kept, err = time.ParseDuration(f.Kept)
	}
	if err == nil {
		err = h.check()
	}
	if err != nil {
		return Horizon{}, fmt.Errorf("%s: %w: run relationindex horizon DURATION", doc.Ref.Path, err)
	}
	return h, nil
}

func (h Horizon) check() error {
	if h.Kept > 0 && (h.Feed == 0 || h.Feed > h.Kept) {
		return fmt.Errorf("feed %v exceeds kept %v: feed must be at most kept (0 means no limit)", h.Feed, h.Kept)
	}
	return errors.Join(CheckHorizon(h.Feed), CheckHorizon(h.Kept))
}

// CheckHorizon returns an error for a duration that is not a valid horizon.
func CheckHorizon(d time.Duration) error {
	if d != 0 && (d < MinHorizon || d > MaxHorizon) {
		return fmt.Errorf("horizon %v: must be %v to %v, or 0, for all posts", d, MinHorizon, MaxHorizon)
	}
	return nil
}

// ExpireAt returns the field expireAt of the relations of a post created at createdAt. Posts younger than kept
// have relations. Without a horizon, it returns the zero time: the relations have no such field.
func ExpireAt(createdAt time.Time, kept time.Duration) time.Time {
	if kept == 0 {
		return time.Time{}
	}
	return Storable(createdAt.Add(kept + HorizonMargin).Truncate(time.Microsecond)) // as Firestore does
}

// Storable returns at, or the latest time that Firestore stores if at is later. A server may have written that
// latest time, and functions compute later times from it.
func Storable(at time.Time) time.Time {
	if at.After(LatestTime) {
		return LatestTime
	}
	return at
}

// LatestTime is the latest time that Firestore stores.
var LatestTime = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// Oldest returns the earliest createdAt of posts that get relations now. Without a horizon, it returns the
// zero time: all posts do.
func (h Horizon) Oldest(now time.Time) time.Time {
	if h.Kept == 0 {
		return time.Time{}
	}
	return now.Add(-h.Kept - HorizonMargin)
}

// Has reports whether a post created at a time gets relations now.
func (h Horizon) Has(createdAt, now time.Time) bool {
	return h.Kept == 0 || !createdAt.Before(h.Oldest(now))
}

// ErrHorizonUnused means that the stored horizon would not be used: the configuration of
// this process has none.
var ErrHorizonUnused = errors.New("the database has a horizon, but RELATIONINDEX_HORIZON is not set: set the variable to the value of the deployed functions. To end the horizon, set the variable, run 'relationindex horizon 0', then deploy without the variable")

// CheckHorizon returns [ErrHorizonUnused] if relations of db may be missing, and the configuration of this
// process has no horizon. It costs a read if the configuration has none.
func (db *Database) CheckHorizon(ctx context.Context) error {
	if db.Config.Horizon > 0 {
		return nil
	}
	stored, err := NewHorizons(db.Client, true).Read(ctx)
	if err == nil && stored != (Horizon{}) {
		err = fmt.Errorf("%s: %v: %w", HorizonDocument(db.Client).Path, max(stored.Feed, stored.Kept), ErrHorizonUnused)
	}
	return err
}

// Horizons reads the horizon of a database. It is safe for concurrent use.
type Horizons struct {
	client *firestore.Client
	used   bool
	cached cached[Horizon]
}

// NewHorizons returns the horizons of a client's database. If the configuration has no
// horizon, used is false, and Read costs nothing.
func NewHorizons(client *firestore.Client, used bool) *Horizons {
	return &Horizons{client: client, used: used}
}

// Read returns the horizon as it was at most [HorizonTTL] ago. Each look costs a read, which concurrent calls
// share; each call ends with its own ctx. For a damaged document, Read returns an error, so that events are
// redelivered.
func (h *Horizons) Read(ctx context.Context) (Horizon, error) {
	if !h.used {
		return Horizon{}, nil
	}
	now, err := h.cached.get(ctx, HorizonTTL, func(ctx context.Context) (Horizon, error) {
		docs, err := h.client.GetAll(ctx, []*firestore.DocumentRef{HorizonDocument(h.client)})
		if err != nil {
			return Horizon{}, err
		}
		return DecodeHorizon(docs[0])
	})
	if err != nil {
		err = fmt.Errorf("horizon: %w", err)
	}
	return now, err
}

// Forget makes the next Read look again.
func (h *Horizons) Forget() { h.cached.last.Store(nil) }
