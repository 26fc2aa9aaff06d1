package functions

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/cloudevents/sdk-go/v2/event"

	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/identity"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
)

// Handlers holds the functions of one database. It is safe for concurrent use.
type Handlers struct {
	index    *social.System
	engine   *chunker.Engine
	cfg      schema.Config
	triggers map[string]triggers.Trigger // all
	feed     http.HandlerFunc
	runs     *reporter

	key, horizon, cursors, stored, gaps check

	cursorKeys *feed.Keys
	acts       *acts

	profileFields []string // of user documents; posts copy them
	signedFields  []string // of posts: the copies, and the fields that name the copied accounts
	copiedFields  []string // of posts: fields that deliveries copy

	// Budget returns the time that one step of a job may use. OnJobWritten calls it when
	// the event arrives. Tests replace it before the first event.
	Budget func(context.Context) chunker.Budget
}

// New returns the handlers of a database. The caller keeps and closes client. New sends no requests. On an emulator,
// nobody pays. So if cfg names an emulator and no AccountHour, accounts have no limit, and a lease may be shorter than a
// step.
func New(client *firestore.Client, cfg schema.Config) (*Handlers, error) {
	if d := cfg.WithDefaults(); cfg.EmulatorHost == "" {
		if cfg.AccountHour = d.AccountHour; d.Lease <= d.Step {
			return nil, fmt.Errorf("lease %v: must be longer than a step, which is %v, or others take over steps that are at work", d.Lease, d.Step)
		}
	}
	index, err := social.Open(client, cfg)
	if err != nil {
		return nil, err
	}
	return Over(index, cfg)
}

// Over is New with an index that exists, such as one with deliveries of its own. It changes nothing in cfg.
func Over(index *social.System, cfg schema.Config) (*Handlers, error) {
	client := index.DB.Client
	runs, keys := &reporter{index.DB.Config.Logger}, feed.NewKeys(client)
	served, err := newFeed(feed.New(client, cfg, keys), identity.New(cfg.Project, nil), cfg, runs)
	if err != nil {
		return nil, err
	}
	acts, err := newActs(cfg.AccountHour, time.Now)
	if err != nil {
		return nil, err
	}
	h := &Handlers{feed: served, cursorKeys: keys, acts: acts, index: index, engine: index.Engine, cfg: cfg, runs: runs, triggers: map[string]triggers.Trigger{}}
	ofAuthors, ofRefs := schema.ParseProfileFields(cfg.AuthorFields), schema.ParseProfileFields(cfg.RefFields)
	for _, f := range slices.Concat(ofAuthors, ofRefs) {
		h.profileFields = append(h.profileFields, f.User)
		h.signedFields = append(h.signedFields, f.Post)
	}
	if h.copiedFields = cfg.CopiedFields; cfg.Timeline() != "" || cfg.Notifications {
		h.copiedFields = append(slices.Clone(h.copiedFields), names.FieldKind)
	}
	if len(ofAuthors) > 0 {
		h.signedFields = append(h.signedFields, schema.FieldUserID)
	}
	if len(ofRefs) > 0 {
		h.signedFields = append(h.signedFields, schema.FieldRefs)
	}
	h.Budget = func(ctx context.Context) chunker.Budget {
		return chunker.NewBudget(ctx, time.Now(), triggers.JobTimeout, triggers.JobTimeout-schema.MaxStep, nil).Yield(cmp.Or(cfg.Step, schema.DefaultStep))
	}
	for _, t := range triggers.All(cfg) {
		h.triggers[t.Name] = t
	}
	index.Engine.Register(h.laterTask())
	return h, nil
}

// Function returns the event function with this name in the trigger table;
// nil if there is none.
func (h *Handlers) Function(name string) func(context.Context, event.Event) error {
	handle := h.triggers[name].Handle
	if handle == nil {
		return nil
	}
	return func(ctx context.Context, e event.Event) error { return handle(h, ctx, e) }
}

// HTTP returns the function as the framework serves it. An event function accepts
// CloudEvents by POST. Sweep and Feed are called by their own clients.
func (h *Handlers) HTTP(name string) http.HandlerFunc {
	serve := receive(name, h.runs, h.Function(name))
	if method := h.triggers[name].Serve; method != nil {
		serve = func(w http.ResponseWriter, r *http.Request) { method(h, w, r) }
	}
	return func(w http.ResponseWriter, r *http.Request) {
		serve(w, r.WithContext(logging.WithRun(r.Context(), h.cfg.Project, name, logging.TraceOf(r.Header))))
	}
}

// OnFollowerWritten updates the index to match a follower document. Then it counts followers and follows, and notifies
// the author. Follows count for the follower's hour: see [Handlers.within].
func (h *Handlers) OnFollowerWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnFollowerWritten", e, func(ctx context.Context, r *run) error {
		day := dayOf(r.change.after)
		a := act{r.ids[1], actOne, map[string]string{schema.ArgAuthor: r.ids[0], schema.ArgReader: r.ids[1], schema.ArgObject: day}, ""}
		var failed work.Failures
		failed.Add(h.ofDocument(ctx, r, a, func() error { return h.follow(ctx, r.ids[0], r.ids[1], day) }))
		if before := dayOf(r.change.before); before != "" { // the follow has ended, or a newer follow has replaced it
			failed.Add(h.index.Tallies.Tally(ctx, tallies.Notification(r.ids[0], tallies.Follow, before)))
		}
		return failed.Joined()
	})
}

// OnPostWritten updates a post's relations to match the post, and corrects its author fields and ref fields. It deletes
// the comments on a deleted post, and its likes: see [accounts.Lifecycle.Drop].
//
// An edit costs nothing if it changes no copied field, author or ref field, and none of [names.PostFields]. An edit that
// changes only copied fields brings the post to nobody: see [followers.Delivery]. Other documents that decide who gets a
// post have events of their own. A post that is brought or changed counts for its author's hour, however many readers it
// has: see [Handlers.within].
//
// OnPostWritten also counts the posts of the audience, and notifies the people whom the post names: see
// [Handlers.tallyPost].
func (h *Handlers) OnPostWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnPostWritten", e, func(ctx context.Context, r *run) error {
		return joined(h.deliverPost(ctx, r), h.tallyPost(ctx, r))
	})
}

// deliverPost passes an event of a post to deliveries.
func (h *Handlers) deliverPost(ctx context.Context, r *run) error {
	if !r.change.unchanged(h.signedFields) {
		if err := h.index.Accounts.Sign(ctx, r.ids[0]); err != nil {
			return err
		}
	}
	if r.change.samePost(h.copiedFields) {
		return nil
	}
	if r.change.after != nil {
		ctx = r.asOf(ctx)
	}
	if !r.change.hides() {
		return h.deliver(ctx, r)
	}
	err := h.hide(ctx, r)
	if r.change.after == nil { // even if a damaged document of its audience holds up the delivery
		gone := schema.Generation(r.change.before.GetUpdateTime().AsTime())
		if left := h.index.Accounts.Drop(ctx, r.ids[0], gone, r.eventID); left != nil {
			return left // the event comes again, and reports err then
		}
	}
	return err
}

// OnJobWritten runs the next step of a job, and of other jobs of its owner while time is left. It acknowledges an event
// whose step may not run now: see [chunker.Engine.Run]. The events of a step's own writes have nothing to do, and cost
// nothing. When a purge ends before its last page, OnJobWritten deletes the purge's mark: see
// [accounts.Lifecycle.Unmark], and [Handlers.returned].
func (h *Handlers) OnJobWritten(ctx context.Context, e event.Event) error {
	budget := h.Budget(ctx)
	return h.handle(ctx, "OnJobWritten", e, func(ctx context.Context, r *run) error {
		job := jobOf(r.change)
		if u := endedPurge(r.change); u != "" {
			if _, err := h.index.Accounts.Unmark(ctx, u); err != nil {
				return err
			}
			return h.returned(ctx, u)
		}
		if r.change.after == nil || !h.engine.Concerns(job) {
			return nil
		}
		r.hop, r.budget = &job.Hop, &budget
		return h.engine.Run(ctx, r.ids[0], budget)
	})
}

// OnUserDeleted enqueues the job that purges the account. Its event may arrive:
//
//   - twice: the second names the same deletion, and finds the job;
//   - late: an account that was created again is left alone;
//   - while handlers write the account's index: the purge removes their documents, see [accounts.Lifecycle.Purge];
//   - while the account is created again: the first transaction of the purge finds the profile, or rules find the
//     purge's mark. Then the account's documents are counted: see [Handlers.returned].
func (h *Handlers) OnUserDeleted(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnUserDeleted", e, func(ctx context.Context, r *run) error {
		if onlyOurs(r.change.before) {
			// Only functions wrote this document, and the purge itself may have deleted it.
			if purged, err := h.index.Accounts.Purged(ctx, r.ids[0]); purged || err != nil {
				return err
			}
		}
		if err := h.index.Accounts.Purge(ctx, r.ids[0], schema.Generation(r.change.before.GetUpdateTime().AsTime()), e.ID()); err != nil {
			return err
		}
		return h.returned(ctx, r.ids[0])
	})
}

// OnUserWritten enqueues a job that rewrites author fields and ref fields in the posts that
// copy them, when one of these fields has changed. It is deployed only with such fields.
// Its event may arrive:
//
//   - twice: the second names the same change;
//   - late or out of order: the job reads the current user document.
//
// Changes count for the account's hour: see [Handlers.within].
func (h *Handlers) OnUserWritten(ctx context.Context, e event.Event) error {
	return h.handle(ctx, "OnUserWritten", e, func(ctx context.Context, r *run) error {
		if r.change.after == nil || r.change.unchanged(h.profileFields) {
			return nil
		}
		return h.within(ctx, r, act{r.ids[0], actShow, map[string]string{schema.ArgAuthor: r.ids[0]}, ""}, func() error {
			return h.index.Accounts.Profile(ctx, r.ids[0], r.change.generation(), e.ID())
		})
	})
}

// jobOf decodes the fields of a job that decide whether there is a step to run.
func jobOf(c change) chunker.Job {
	fields := c.after.GetFields()
	job := chunker.Job{
		State:   chunker.State(fields["state"].GetStringValue()),
		Waits:   fields["waits"].GetBooleanValue(),
		Hop:     fields["hop"].GetIntegerValue(),
		Attempt: int(fields["attempt"].GetIntegerValue()),
	}
	if at, ok := timeOf(fields["wakeAt"]); ok {
		job.WakeAt = &at
	}
	if at, ok := timeOf(fields["at"]); ok {
		job.At = &at
	}
	if lease := fields["lease"].GetMapValue().GetFields(); lease != nil {
		job.Lease = &chunker.Lease{Until: lease["until"].GetTimestampValue().AsTime()}
	}
	return job
}

// endedPurge returns the account of a purge that failed, was canceled, or whose job was deleted.
// A done job names nobody, and its last page has deleted the mark.
func endedPurge(c change) string {
	job := c.after
	if job == nil {
		job = c.before
	} else if state := chunker.State(job.GetFields()["state"].GetStringValue()); state != chunker.Failed && state != chunker.Canceled {
		return ""
	}
	if job.GetFields()["kind"].GetStringValue() != schema.KindPurge {
		return ""
	}
	return job.GetFields()["args"].GetMapValue().GetFields()[schema.ArgAuthor].GetStringValue()
}

// handle decodes an event, calls work, and turns the outcome into an acknowledgement
// (nil) or a request for redelivery (an error).
func (h *Handlers) handle(ctx context.Context, function string, e event.Event, work func(context.Context, *run) error) error {
	ctx, r := h.runs.begin(ctx, function)
	r.eventID, r.at = e.ID(), e.Time()
	err := errPanicked
	defer func() { r.end(ctx, outcomeOf(err, r.meter.Counts()), err) }() // also of a panic, which continues
	err = h.work(ctx, r, e, work)
	switch outcomeOf(err, r.meter.Counts()) {
	case dropped, skipped:
		return nil
	default:
		return err
	}
}

// eventReserve is the part of a function's timeout that a handler keeps to log its
// outcome. A handler that the platform ends logs nothing, and its locks stay.
const eventReserve = 5 * time.Second

// work checks an event, and calls its handler's work with a deadline.
func (h *Handlers) work(ctx context.Context, r *run, e event.Event, work func(context.Context, *run) error) (err error) {
	if r.change, err = decodeEvent(e); err != nil {
		return err
	}
	if want := "projects/" + h.cfg.Project + "/databases/" + h.cfg.DatabaseID(); r.change.database != want {
		return fmt.Errorf("%w: the event is from %s, but the function uses %s; correct the trigger, RELATIONINDEX_DATABASE or GOOGLE_CLOUD_PROJECT", errOtherDatabase, r.change.database, want)
	}
	trigger := h.triggers[r.function]
	if trigger.Unneeded {
		return fmt.Errorf("%w: this configuration does not need %s", errMalformed, r.function)
	}
	if r.ids, err = r.change.ids(trigger.Document); err != nil {
		return err
	}
	ctx, cancel := context.WithDeadline(ctx, r.started.Add(trigger.Timeout-eventReserve))
	defer cancel()
	return work(ctx, r)
}
