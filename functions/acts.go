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

// Weights of events, as an account's acts in an hour ([schema.Config.AccountHour]). An event that takes something away
// does not count, and does not wait: see [Handlers.taking].
const (
	actOne   = 1  // a post that is brought or changed, a follow, a request, a like, a comment
	actGroup = 10 // a post to a group: its readers are not the author's own
	actHide  = 5  // hiding more: the whole timeline is read
	actShow  = 30 // hiding less, or the end of a block: everything that a reader follows is read. A profile: all posts are written
	actSign  = 0  // signed fields of a post: most often the functions' own work. They have a budget of their own

	signedOfHour = 10 // that budget, as a multiple of the budget of other acts

	recipientsOfAct = 4 // this many people named in a post count as 1 more, whether they exist or not
)

// acts limits the work that each account causes on this instance in an hour. Each function counts for itself. nil is no
// limit. It is safe for concurrent use.
type acts struct {
	rates  *rates.Rates
	signs  *rates.Rates // of actSign
	recent *lru.Cache[string, recent]
}

// recent holds the recent acts with one job.
type recent struct {
	since time.Time // of the first act in an hour
	times int       // number of acts since then
	at    time.Time // when the latest waiting act begins
}

// rememberedActs is the number of documents whose acts are remembered: about 2 MB. An act on a forgotten document counts
// as the first.
const rememberedActs = 10_000

// newActs returns a limit of hourly acts an hour; 0: no limit.
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

// over reports whether an account has no acts left: its next act would wait.
func (a *acts) over(account string) bool {
	return a != nil && account != "" && a.rates.Left(account) < 1
}

// begins counts an act of an account, and returns when it may begin; zero: now. Until then, further acts with the same
// job are part of this act: first is false for them. Within an hour, the second act with a job counts twice, and the
// third three times. So an account that follows and unfollows one author, or keeps changing one post, soon has no acts
// left.
func (a *acts) begins(account, job string, weight int) (at time.Time, first bool) {
	if a == nil || account == "" { // of a document that clients do not write
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

// Suffixes that distinguish the jobs of one function and document.
const (
	whatEdits = " edits" // only copied fields of a post
	whatHides = " hides" // a reader hides more, and shows nothing more
)

// waits reports whether an act with the job is waiting.
func (a *acts) waits(job string) bool {
	if a == nil {
		return false
	}
	known, _ := a.recent.Get(job)
	return a.rates.Now().Before(known.at)
}

// act is the work that an event requests. It counts for account. args identify the documents. Acts of one document and
// function with different what have separate jobs.
type act struct {
	account string
	weight  int
	args    map[string]string
	what    string
}

// within does the work of an act now, if the account's hour allows that. Otherwise it leaves the work to a job, which
// waits until the hour allows it. All events of the same document until then share one run, which uses the current
// state.
//
// A job costs a read, a write if it is new, and then the costs of [chunker.Engine]. If the event comes twice, the
// second counts too. After a crash before the job is stored, the event is redelivered.
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

// taking does the work of an event that takes something away, at once, and does not count it. But the work uses the
// current state, and may bring something written since. So the work counts and waits like any other if the account has
// no acts left and the document has changed since the event. An account that hides and shows in turn gains nothing. The
// event of the last write always takes at once. The check costs a read.
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

// ofDocument does the work of an act that lasts as long as its document, such as a follow or a like. The start of the
// act is work for within, and its end is work for taking.
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

// pageLater does the work that an event has requested, by the current state. It costs the same as the event would have.
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
	case "OnUserWritten": // this run includes later events, so it has a generation of its own
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
