package functions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	lru "github.com/hashicorp/golang-lru/v2"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/rates"
	"example.com/relationindex/schema"
)

// What events count, of an account's acts in an hour ([schema.Config.AccountHour]). What takes something
// away does not count, and does not wait: see [Handlers.taking].
const (
	actOne   = 1  // a post that is brought or changed, a follow, a request, a like, a comment
	actGroup = 10 // a post to a group: its readers are not the author's own
	actHide  = 5  // hiding more: all of a timeline is read
	actShow  = 30 // hiding less, or the end of a block: all that a reader follows is read. A profile: all posts are written
	actSign  = 0  // signed fields of a post: most often the functions' own work. It has a budget of its own

	signedOfHour = 10 // so many times as many acts has that budget

	recipientsOfAct = 4 // so many people whom a post names count 1 more, whether they exist or not
)

// acts bounds what accounts have this instance do in an hour. Each function counts for itself. nil is no bound.
// It is safe for concurrent use.
type acts struct {
	rates  *rates.Rates
	signs  *rates.Rates // of actSign
	recent *lru.Cache[string, recent]
}

// recent is what is known of the acts on a document, by their job.
type recent struct {
	since time.Time // of the first in an hour
	times int       // so many since then
	at    time.Time // when the latest that waits begins
}

// rememberedActs is on how many documents acts are known: about 2 MB. One on a forgotten one counts as the first.
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
	signs, err := rates.New(hourly*signedOfHour, time.Hour, now)
	if err != nil {
		return nil, err
	}
	documents, err := lru.New[string, recent](rememberedActs)
	return &acts{limit, signs, documents}, err
}

// over reports whether the next act of an account would wait.
func (a *acts) over(account string) bool {
	return a != nil && account != "" && a.rates.Left(account) < 1
}

// begins counts an act of an account, and returns when it may begin; zero: now. Until then, further acts
// with the same job are one with it, and not the first. The second act with a job within an hour counts twice, the
// third three times: who follows and unfollows one author, or changes one post, soon has none left.
func (a *acts) begins(account, job string, weight int) (at time.Time, first bool) {
	if a == nil || account == "" { // of a document that no client writes
		return time.Time{}, true
	}
	now := a.rates.Now()
	known, _ := a.recent.Get(job)
	if now.Before(known.at) {
		return known.at, false
	}
	if now.Sub(known.since) >= time.Hour {
		known = recent{since: now}
	}
	known.times++
	var wait time.Duration
	if weight == actSign {
		wait = a.signs.Reserve(account, 1)
	} else {
		wait = a.rates.Reserve(account, weight*known.times)
	}
	if wait > 0 {
		at = now.Add(wait)
		known.at = at
	}
	a.recent.Add(job, known)
	return at, true
}

// What jobs of one function and document differ in.
const (
	whatEdits = " edits" // copied fields of a post alone
	whatHides = " hides" // a reader hides more, and shows nothing more
)

// waits reports whether an act with the job waits.
func (a *acts) waits(job string) bool {
	if a == nil {
		return false
	}
	known, _ := a.recent.Get(job)
	return a.rates.Now().Before(known.at)
}

// act is what an event asks for. It counts for an account. args say what it is about. Acts of one document and
// function that differ in what have a job each.
type act struct {
	account string
	weight  int
	args    map[string]string
	what    string
}

// within does the work of an act, or leaves it to a job that does it when the account's hour allows that.
// All events of the same document that come before then are one run, of what is true then.
//
// A job costs a read, a write if it is new, and then what [chunker.Engine] costs. Its event may come twice:
// the second time it counts, too. A crash before the job is stored leaves the event.
func (h *Handlers) within(ctx context.Context, r *run, a act, work func() error) error {
	id := schema.LaterJobID(r.function+a.what, r.ids...)
	at, first := h.acts.begins(a.account, id, a.weight)
	if at.IsZero() {
		return work()
	}
	if first {
		h.runs.logger.WarnContext(ctx, "an account does more than its hour allows: its work waits",
			logging.Function, r.function, logging.Document, strings.Join(r.change.path, "/"), logging.Until, at)
	}
	a.args[schema.ArgFunction], a.args[schema.ArgAccount] = r.function+a.what, a.account
	return h.engine.Enqueue(ctx, chunker.Spec{
		ID: id, Kind: schema.KindLater, Owner: schema.OwnerOf(a.account), Args: a.args, Private: true,
		Generation: r.change.generation(), At: at, EventID: r.eventID,
	})
}

// taking does the work of an event that takes something away, at once, and does not count it. But the work goes by
// what is true now, and may bring what has come since. So if the account's hour is over, and the document is not as
// the event left it, the work counts and waits as any: who hides and shows in turn gains nothing. The event of the
// last write takes in any case. That look costs a read.
func (h *Handlers) taking(ctx context.Context, r *run, a act, work func() error) error {
	if !h.acts.over(a.account) {
		return work()
	}
	docs, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.Client.Doc(strings.Join(r.change.path, "/"))})
	if err != nil {
		return err
	}
	if r.change.isLeft(docs[0]) {
		return work()
	}
	return h.within(ctx, r, a, work)
}

// ofDocument does the work of an act that lasts as long as its document, as a follow or a like: what it begins is within the hour,
// and its end takes.
func (h *Handlers) ofDocument(ctx context.Context, r *run, a act, work func() error) error {
	if r.change.after == nil {
		return h.taking(ctx, r, a, work)
	}
	return h.within(ctx, r, a, work)
}

// laterTask is the task of the jobs of within.
func (h *Handlers) laterTask() chunker.Task {
	return chunker.Task{Kind: schema.KindLater, Phases: []chunker.Phase{{Name: "event", Page: h.pageLater}}}
}

// pageLater does what an event has asked for, by what is true now. It costs what the event would have cost.
func (h *Handlers) pageLater(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
	post, author, reader := job.Args[schema.ArgPost], job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	var err error
	switch function := job.Args[schema.ArgFunction]; function {
	case "OnFollowerWritten":
		err = h.follow(ctx, author, reader, job.Args[schema.ArgObject])
	case "OnPostWritten":
		err = h.bring(ctx, post)
	case "OnPostWritten" + whatEdits:
		err = h.index.Deliveries.Edited(ctx, post)
	case "OnUserWritten": // events that have come since are of this run, too: so it has a generation of its own
		err = h.index.Accounts.Profile(ctx, author, "later "+job.Generation+" "+strconv.FormatInt(job.At.UnixNano(), 10), job.EventID)
	case "OnBlockWritten":
		err = h.unblocked(ctx, reader, author)
	case "OnSettingsWritten":
		err = h.decided(ctx, reader, true, true, true)
	case "OnSettingsWritten" + whatHides:
		err = h.decided(ctx, reader, true, false, true)
	case "OnRequestWritten":
		err = h.requested(ctx, author)
	case "OnLikeWritten":
		err = h.index.Tallies.Liked(ctx, post)
	case "OnCommentWritten":
		err = h.commented(ctx, post, job.Args[schema.ArgComment])
	case "OnCommentWritten" + whatEdits:
		err = h.index.Tallies.Commented(ctx, post)
	default:
		err = fmt.Errorf("a function %q, which this release does not have", function)
	}
	if errors.Is(err, schema.ErrBadDocument) {
		h.runs.logger.ErrorContext(ctx, "a document is ignored", logging.Error, err)
		err = nil // as for an event: a retry cannot help
	}
	return chunker.Page{Done: 1}, err
}
