package functions

import (
	"context"
	"errors"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	lru "github.com/hashicorp/golang-lru/v2"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/logging"
	"example.com/relationindex/internal/runtime/rates"
	"example.com/relationindex/schema"
)

// What events count, of an account's acts in an hour ([config.Functions.AccountHour]). What takes something
// away does not count, and never waits.
const (
	actOne  = 1  // a post that is brought or changed, a follow, a comment
	actHide = 5  // hiding more: all of a timeline is read
	actShow = 30 // hiding less, or the end of a block: all that a reader follows is read
	actNone = 0  // what is most often the functions' own work: it has as many acts again, and waits behind others

	recipientsOfAct = 4 // so many people whom a post names count 1 more, whether they exist or not
)

// acts bounds what accounts have this instance do in an hour. Each function counts for itself. nil is no bound.
// It is safe for concurrent use.
type acts struct {
	rates *rates.Rates
	later *lru.Cache[string, time.Time] // when the latest acts that wait begin, by their job
}

// rememberedActs is how many acts that wait are known to: about 2 MB. One more of a forgotten one counts again.
const rememberedActs = 10_000

// newActs returns the bound by so many acts an hour; 0: none.
func newActs(hourly int, now func() time.Time) (*acts, error) {
	if hourly == 0 {
		return nil, nil //nolint:nilnil // no bound
	}
	limit, err := rates.New(hourly, time.Hour, now)
	if err != nil {
		return nil, err
	}
	later, err := lru.New[string, time.Time](rememberedActs)
	return &acts{limit, later}, err
}

// begins counts an act of an account, and returns when it may begin; zero: now. Until then, further acts
// with the same job are one with it, and not the first.
func (a *acts) begins(account, job string, weight int) (at time.Time, first bool) {
	if a == nil || account == "" { // of a document that no client writes
		return time.Time{}, true
	}
	now := a.rates.Now()
	if at, ok := a.later.Get(job); ok && now.Before(at) {
		return at, false
	}
	wait := a.rates.Reserve(account, weight)
	if weight == actNone {
		wait = max(wait, a.rates.Reserve("none "+account, 1))
	}
	if wait <= 0 {
		return time.Time{}, true
	}
	at = now.Add(wait)
	a.later.Add(job, at)
	return at, true
}

// act is what an event asks for. It counts for an account. args say what it is about.
type act struct {
	account string
	weight  int
	args    map[string]string
}

// within does the work of an act, or leaves it to a job that does it when the account's hour allows that.
// All events of the same document that come before then are one run, of what is true then.
//
// A job costs a read, a write if it is new, and then what [chunker.Engine] costs. Its event may come twice:
// the second time it counts, too. A crash before the job is stored leaves the event.
func (h *Handlers) within(ctx context.Context, r *run, a act, work func() error) error {
	id := schema.LaterJobID(r.function, r.ids...)
	at, first := h.acts.begins(a.account, id, a.weight)
	if at.IsZero() {
		return work()
	}
	if first {
		h.runs.logger.WarnContext(ctx, "an account does more than its hour allows: its work waits",
			logging.Function, r.function, logging.Document, strings.Join(r.change.path, "/"), logging.Until, at)
	}
	a.args[schema.ArgFunction] = r.function
	return h.engine.Enqueue(ctx, chunker.Spec{
		ID: id, Kind: schema.KindLater, Owner: schema.OwnerOf(a.account), Args: a.args, Private: true,
		Generation: r.change.generation(), At: at, EventID: r.eventID,
	})
}

// laterTask is the task of the jobs of within.
func (h *Handlers) laterTask() chunker.Task {
	return chunker.Task{Kind: schema.KindLater, Phases: []chunker.Phase{{Name: "event", Page: h.pageLater}}}
}

// pageLater does what an event has asked for, by what is true now. It costs what the event would have cost.
func (h *Handlers) pageLater(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	post, author, reader := job.Args[schema.ArgPost], job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	var err error
	switch job.Args[schema.ArgFunction] {
	case "OnFollowerWritten":
		err = h.index.Graph.Follow(ctx, author, reader)
	case "OnPostWritten":
		err = h.index.Deliveries.Post(ctx, post)
	case "OnBlockWritten":
		if h.index.Timelines != nil {
			err = h.index.Timelines.Unblocked(ctx, reader, author)
		}
	case "OnSettingsWritten":
		if h.index.Timelines != nil {
			err = h.index.Timelines.Decided(ctx, reader, true, true)
		}
	case "OnCommentCreated":
		if h.index.Ranking != nil {
			err = h.index.Ranking.Comment(ctx, post, job.Args[schema.ArgComment])
		}
	}
	if errors.Is(err, schema.ErrBadDocument) {
		h.runs.logger.WarnContext(ctx, "a document is ignored", logging.Error, err)
		err = nil // as for an event: a retry cannot help
	}
	return chunker.Page{Done: 1}, err
}
