package functions

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"
	"golang.org/x/sync/singleflight"

	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/identity"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/relations"
)

// Handlers are the functions over one database. They are safe for concurrent use.
type Handlers struct {
	index    *relations.Index
	engine   *chunker.Engine
	cfg      config.Functions
	triggers map[string]Trigger
	feed     http.HandlerFunc
	runs     *reporter

	looks singleflight.Group // of who asks whether the keys are the right ones
	keys  atomic.Bool        // they are

	profileFields []string // of users, that posts copy
	signedFields  []string // the copies

	// Budget is the time that one step of a job may use, asked for when its
	// event arrives. Tests set their own, before the first event.
	Budget func(context.Context) chunker.Budget
}

// New makes handlers on a client, which stays the caller's. It costs no requests.
func New(client *firestore.Client, cfg config.Functions, logger *slog.Logger) (*Handlers, error) {
	runs := &reporter{logger}
	engine := chunker.New(client, chunker.Options{
		Chunk: cfg.Chunk, Lease: cfg.Lease, Turns: ownerTurns, Logger: logger,
	})
	opts := cfg.RelationsOptions()
	opts.Logger = logger
	index, err := relations.New(client, engine, opts)
	if err != nil {
		return nil, err
	}
	served, err := newFeed(feed.New(client, cfg.Collections()), identity.New(cfg.Project, nil), cfg, runs)
	if err != nil {
		return nil, err
	}
	h := &Handlers{feed: served, index: index, engine: engine, cfg: cfg, runs: runs, triggers: map[string]Trigger{}}
	for _, f := range opts.AuthorFields {
		h.profileFields = append(h.profileFields, f.User)
		h.signedFields = append(h.signedFields, f.Post)
	}
	h.Budget = func(ctx context.Context) chunker.Budget {
		return chunker.NewBudget(ctx, time.Now(), JobTimeout, JobTimeout-config.MaxStep, nil).Yield(cfg.Step)
	}
	for _, t := range Triggers(cfg) {
		h.triggers[t.Name] = t
	}
	return h, nil
}

// Ready returns an error if a function of this process cannot do its work on the
// database as it is: one that looks for tombstones does not have their newest key, see
// [relations.ErrOtherKeys]. It costs a read for all that ask at once, a read and a
// write more where the first key is to become the newest, and nothing once it has
// returned nil.
func (h *Handlers) Ready(ctx context.Context, function string) error {
	if h.keys.Load() || !config.NeedsTombstones(function) {
		return nil
	}
	_, err, _ := h.looks.Do("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout) // one that gives up is not all
		defer cancel()
		err := h.index.UseTombstoneKeys(ctx)
		h.keys.Store(err == nil)
		return nil, err
	})
	return err
}

// readyTimeout is how long a database may take to say whether this process is ready. An
// event that waits longer is delivered again.
const readyTimeout = 10 * time.Second

// handler is a function as its events call it, in terms of Handlers.
type handler func(h *Handlers, ctx context.Context, e event.Event) error

// handlers are the functions by the names of the trigger table.
var handlers = map[string]handler{
	"OnBlockCreated":    (*Handlers).OnBlockCreated,
	"OnFollowerWritten": (*Handlers).OnFollowerWritten,
	"OnPostWritten":     (*Handlers).OnPostWritten,
	"OnJobWritten":      (*Handlers).OnJobWritten,
	"OnUserDeleted":     (*Handlers).OnUserDeleted,
	"OnUserWritten":     (*Handlers).OnUserWritten,
}

// Names are the names of all functions, of those too that a configuration may not need.
func Names() []string { return append(slices.Sorted(maps.Keys(handlers)), Sweep, Feed) }

// Function is one of the functions by its name in the trigger table; nil if there is none.
func (h *Handlers) Function(name string) func(context.Context, event.Event) error {
	handle, ok := handlers[name]
	if !ok {
		return nil
	}
	return func(ctx context.Context, e event.Event) error { return handle(h, ctx, e) }
}

// HTTP is the function as the framework serves it: a POST of a CloudEvent, but
// for Sweep and Feed, which are called.
func (h *Handlers) HTTP(name string) http.HandlerFunc {
	serve := h.feed
	switch name {
	case Sweep:
		serve = h.sweep
	case Feed:
	default:
		serve = receive(name, h.runs, h.Function(name))
	}
	return func(w http.ResponseWriter, r *http.Request) {
		serve(w, r.WithContext(logging.WithRun(r.Context(), h.cfg.Project, name, logging.TraceOf(r.Header))))
	}
}

// OnFollowerWritten makes the index agree with a follower document.
func (h *Handlers) OnFollowerWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnFollowerWritten", e, func(ctx context.Context, r *run) error {
		return h.index.Follow(ctx, r.ids[0], r.ids[1])
	})
}

// OnBlockCreated ends the follow of somebody whom the author blocks.
//
// Twice or late: see [relations.Index.Block]. The time of the block is the event's
// alone to tell: the document may be gone.
// Never: the follow stays, and `relationindex verify` names it. While the
// follow is being made: the rules' own read of the block and the follow's
// commit are one transaction, so that either the follow is refused, or it is
// there before the block is.
func (h *Handlers) OnBlockCreated(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnBlockCreated", e, func(ctx context.Context, r *run) error {
		var at time.Time
		if created := r.change.after.GetCreateTime(); created != nil {
			at = created.AsTime()
		}
		return h.index.Block(ctx, r.ids[0], r.ids[1], at)
	})
}

// OnPostWritten makes a post's relations agree with the post. An edit of
// fields that relations do not copy costs nothing.
func (h *Handlers) OnPostWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnPostWritten", e, func(ctx context.Context, r *run) error {
		if !r.change.unchanged(h.signedFields) {
			if err := h.index.Sign(ctx, r.ids[0]); err != nil {
				return err
			}
		}
		if r.change.unchanged(append([]string{"userId", "createdAt"}, h.cfg.CopiedFields...)) {
			return nil
		}
		return h.index.Post(ctx, r.ids[0])
	})
}

// OnJobWritten runs the next step of a job. The writes that a step makes while
// it runs come here too and have nothing to do.
func (h *Handlers) OnJobWritten(ctx context.Context, e event.Event) error {
	budget := h.Budget(ctx)
	return h.handle(ctx, "OnJobWritten", e, func(ctx context.Context, r *run) error {
		job := jobOf(r.change)
		if r.change.after == nil || !h.engine.Concerns(job) {
			return nil
		}
		r.hop, r.budget = &job.Hop, &budget
		return h.engine.Run(ctx, r.ids[0], job.Hop, budget)
	})
}

// OnUserDeleted has the account purged.
//
// Twice: the second names the same deletion, and the job is there. Late: if the
// account has been made again by then it is left alone. While handlers still
// write the account's index: what they write is removed, see [relations.Index.Purge].
func (h *Handlers) OnUserDeleted(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnUserDeleted", e, func(ctx context.Context, r *run) error {
		if onlyOurs(r.change.before) {
			// A document of ours that the purge itself may have removed.
			if purged, err := h.index.Purged(ctx, r.ids[0]); purged || err != nil {
				return err
			}
		}
		return h.index.Purge(ctx, r.ids[0], relations.Generation(r.change.before.GetUpdateTime().AsTime()), e.ID())
	})
}

// OnUserWritten has the author's posts rewritten when a field that they copy
// has changed. It is deployed only where author fields are configured.
//
// Twice: the second names the same change. Late or out of order: the job reads
// the user document as it is now.
func (h *Handlers) OnUserWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnUserWritten", e, func(ctx context.Context, r *run) error {
		if r.change.after == nil || r.change.unchanged(h.profileFields) {
			return nil
		}
		return h.index.Profile(ctx, r.ids[0], relations.Generation(r.change.after.GetUpdateTime().AsTime()), e.ID())
	})
}

// jobOf is what an event says of a job, as far as it tells whether there is a
// step to run.
func jobOf(c change) chunker.Job {
	fields := c.after.GetFields()
	job := chunker.Job{
		State: chunker.State(fields["state"].GetStringValue()),
		Hop:   fields["hop"].GetIntegerValue(),
		Lanes: int(fields["lanes"].GetIntegerValue()),
	}
	if lease := fields["lease"].GetMapValue().GetFields(); lease != nil {
		job.Lease = &chunker.Lease{Until: lease["until"].GetTimestampValue().AsTime()}
	}
	return job
}

// handle decodes, calls work, and turns the outcome into an acknowledgement
// (nil) or a request to deliver the event again (an error).
func (h *Handlers) handle(ctx context.Context, function string, e event.Event, work func(context.Context, *run) error) error {
	ctx, r := h.runs.begin(ctx, function)
	r.eventID, r.at = e.ID(), e.Time()
	err := errPanicked
	defer func() { r.end(ctx, outcomeOf(err, r.meter.Counts()), err) }() // of a panic too, which goes on
	err = h.work(ctx, r, e, work)
	if outcomeOf(err, r.meter.Counts()) == dropped {
		return nil
	}
	return err
}

// eventReserve is what a handler leaves of its function's timeout, to say how it
// ended: who is ended by the platform says nothing, and its locks stay.
const eventReserve = 5 * time.Second

// work is the run of an event without what comes before and after.
func (h *Handlers) work(ctx context.Context, r *run, e event.Event, work func(context.Context, *run) error) (err error) {
	if r.change, err = decodeEvent(e); err != nil {
		return err
	}
	if want := "projects/" + h.cfg.Project + "/databases/" + h.cfg.DatabaseID(); r.change.database != want {
		return fmt.Errorf("%w: it is of %s, and the function works on %s; correct the trigger, RELATIONINDEX_DATABASE or GOOGLE_CLOUD_PROJECT", errOtherDatabase, r.change.database, want)
	}
	trigger := h.triggers[r.function]
	if r.ids, err = r.change.ids(trigger.Document); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, r.started.Add(trigger.Timeout-eventReserve))
	defer cancel()
	return work(ctx, r)
}
