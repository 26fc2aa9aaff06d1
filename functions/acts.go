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
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Weights of events, as an account's acts in an hour ([schema.Config.AccountHour]). What an event takes away does not
// count, and does not wait: see [Handlers.deliver] and [Handlers.ofDocument].
const (
	actOne   = 1  // a post that is brought, changed, or hidden by a reader; a follow, a block, a request, a like, a comment
	actGroup = 10 // a post to a group: its readers are not the author's own
	actHide  = 5  // hiding more: the whole timeline is read. A block, in the second budget
	actShow  = 30 // hiding less, or what a block pushed out: everything that a reader follows is read. The end of a block. A profile: all posts are written
	actSign  = 0  // signed fields of a post: most often the functions' own work. They have a second budget

	actStranger = 30 // a person whom a post newly names, and who follows neither its author nor its audience

	spareOfHour = 10 // the second budget, as a multiple of the budget of other acts

	recipientsOfAct = 4 // this many other people named in a post count as 1 more
)

// acts limits the work that each account causes on this instance in an hour. Each function counts for itself, also if one
// process runs several. nil is no limit. It is safe for concurrent use.
type acts struct {
	rates  *rates.Rates // of a function and an account: see hourOf
	spare  *rates.Rates // the second budget, of actSign and what posts take, of an account
	recent *lru.Cache[string, recent]
}

// recent holds the recent acts on one document, or with one job.
type recent struct {
	since time.Time // of the first act in an hour
	times int       // number of acts since then
	at    time.Time // when the latest waiting act begins
	event string    // the latest that has counted
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
	spare, err := rates.New(hourly*spareOfHour, time.Hour, now)
	if err != nil {
		return nil, err
	}
	documents, err := lru.New[string, recent](rememberedActs)
	return &acts{limit, spare, documents}, err
}

// hourOf names the hour of an account in a function. No function's name contains a slash.
func hourOf(function, account string) string { return function + "/" + account }

// over reports whether an account has no acts left in a function: its next act would wait.
func (a *acts) over(function, account string) bool {
	return a != nil && account != "" && a.rates.Left(hourOf(function, account)) < 1
}

// spares counts work that only takes away in the second budget, and reports whether the account has any of that left.
func (a *acts) spares(account string, weight int) bool {
	if a == nil || account == "" {
		return true
	}
	if a.spare.Left(account) < 1 {
		return false
	}
	a.spare.Reserve(account, weight)
	return true
}

// begins counts an act of an account in a function, and returns when it may begin; zero: now. Until then, further acts
// with the same job are part of this act: first is false for them. Within an hour, the second act on a document counts
// twice, and the third three times. So an account that follows and unfollows one author, or keeps changing one post, soon
// has no acts left. An event that comes again does not count again, unless another event of its document came between: an
// account is not to pay for work that fails.
func (a *acts) begins(function, account, document, job, event string, weight int) (at time.Time, first bool) {
	if a == nil || account == "" { // of a document that clients do not write
		return time.Time{}, true
	}
	document, job = account+" "+document, account+" "+job // who shows another's post again counts apart
	now := a.rates.Now()
	if waiting, _ := a.recent.Get(job); now.Before(waiting.at) {
		return waiting.at, false
	}
	known, _ := a.recent.Get(document)
	if event != "" && known.event == event {
		return time.Time{}, true
	}
	if now.Sub(known.since) >= time.Hour {
		known = recent{since: now}
	}
	known.times++
	known.event = event
	var wait time.Duration
	if weight == actSign {
		wait = a.spare.Reserve(account, 1)
	} else {
		wait = a.rates.Reserve(hourOf(function, account), weight*known.times)
	}
	if wait > 0 {
		at = now.Add(wait)
	}
	a.recent.Add(document, known)
	known.at = at
	a.recent.Add(job, known)
	return at, true
}

// Suffixes that distinguish the jobs of one function and document.
const (
	whatEdits = " edits" // only copied fields of a post
	whatNames = " names" // of a block: notifications that name the other
	whatTakes = " takes" // of a block: more than an event takes
	whatBack  = " back"  // of a block: what its entries have pushed out
	whatHides = " hides" // a reader hides more, and shows nothing more
	whatTo    = " to "   // of a post that newly names people, before all the people whom it names. The job brings it to no others
)

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
// state. But each event that newly names people in a post has a run of its own, for the people who were named then.
//
// A job costs a read, a write if it is new, and then the costs of [chunker.Engine]. The end of a document costs two
// reads more, which find a purge: it does the work itself. If the event comes twice, it counts once: see
// [acts.begins].
// After a crash before the job is stored, the event is redelivered.
func (h *Handlers) within(ctx context.Context, r *run, a act, work func() error) error {
	if waits, err := h.waits(ctx, r, a); waits {
		return err
	}
	return work()
}

// waits reports whether an act has to wait. Then it has left the act to a job: see [Handlers.within].
func (h *Handlers) waits(ctx context.Context, r *run, a act) (bool, error) {
	what, _, _ := strings.Cut(a.what, whatTo)
	at, first := h.acts.begins(r.function, a.account, schema.LaterJobID(r.function+what, r.ids...), schema.LaterJobID(r.function+a.what, r.ids...), r.eventID, a.weight)
	if at.IsZero() {
		return false, nil
	}
	if r.change.after == nil { // perhaps by a purge: the job would name the account
		if purged, err := h.isPurged(ctx, a.account); err != nil || purged {
			return true, err
		}
	}
	if first {
		h.runs.logger.WarnContext(ctx, "an account does more than its hour allows: its work waits",
			logging.Function, r.function, logging.Document, strings.Join(r.change.path, "/"), logging.Until, at)
	}
	return true, h.leave(ctx, r, a, at)
}

// leave leaves the work of an act to a job, which begins at a time.
func (h *Handlers) leave(ctx context.Context, r *run, a act, at time.Time) error {
	what, _, _ := strings.Cut(a.what, whatTo)
	a.args[schema.ArgFunction], a.args[schema.ArgAccount] = r.function+what, a.account
	return h.engine.Enqueue(ctx, chunker.Spec{
		ID: schema.LaterJobID(r.function+a.what, r.ids...), Kind: schema.KindLater, Owner: h.index.DB.OwnerOf(a.account), Args: a.args, Private: true,
		Generation: r.change.generation(), At: at, EventID: r.eventID,
	})
}

// ofDocument does the work of an act that lasts as long as its document, such as a follow or a like. The start of the
// act is work for within. Its end does not count, and does not wait: it takes once what a start has brought, which has
// counted. But the work uses the current state. So if the account has no acts left, and the document is there again, the
// end leaves all of the work to the event of that start. The check costs a read.
func (h *Handlers) ofDocument(ctx context.Context, r *run, a act, work func() error) error {
	if r.change.after != nil {
		return h.within(ctx, r, a, work)
	}
	if h.acts.over(r.function, a.account) {
		docs, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.Client.Doc(strings.Join(r.change.path, "/"))})
		if err != nil || docs[0].Exists() {
			return err
		}
	}
	return work()
}

// isPurged reports whether an account is being purged, or just was. It has no profile then, but a mark; accounts without a sign-up have neither.
func (h *Handlers) isPurged(ctx context.Context, u string) (bool, error) {
	docs, err := h.index.DB.Client.GetAll(ctx, []*firestore.DocumentRef{h.index.DB.User(u), h.index.DB.Purging(u)})
	return err == nil && !schema.HasProfile(docs[0]) && docs[1].Exists(), err
}

// laterTask is the task of the jobs of within.
func (h *Handlers) laterTask() chunker.Task {
	return chunker.Task{Kind: schema.KindLater, Phases: []chunker.Phase{{Name: "event", Page: h.pageLater}}}
}

// pageLater does the work that an event has requested, by the current state. It costs the same as the event would have.
func (h *Handlers) pageLater(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	post, author, reader := job.Args[schema.ArgPost], job.Args[schema.ArgAuthor], job.Args[schema.ArgReader]
	page, err := chunker.Page{Done: 1}, error(nil)
	switch function := job.Args[schema.ArgFunction]; function {
	case "OnFollowerWritten":
		err = h.follow(ctx, author, reader, job.Args[schema.ArgObject])
	case "OnPostWritten":
		if h.index.DB.Braked() { // Sweep queues the job again when the brake is off
			return chunker.Page{Waits: true}, nil
		}
		if named, some := job.Args[schema.ArgNamed]; some {
			ctx = posts.NamingOnly(ctx, strings.Split(named, "/"))
		}
		err = h.bring(ctx, post, true)
	case "OnPostWritten" + whatEdits:
		err = h.index.Deliveries.Edited(ctx, post)
	case "OnUserWritten": // this run includes later events, so it has a generation of its own
		generation := "later " + job.Generation
		if job.At != nil { // nil: begun by `relationindex jobs retry`
			generation += " " + strconv.FormatInt(job.At.UnixNano(), 10)
		}
		err = h.index.Accounts.Profile(ctx, author, generation, job.EventID)
	case "OnBlockWritten":
		page, err = h.unblocked(ctx, reader, author, after, limit)
	case "OnBlockWritten" + whatTakes, "OnBlockWritten" + whatBack:
		page, err = h.blocked(ctx, reader, author, after, limit)
		if err == nil && !page.More && strings.HasSuffix(function, whatBack) && h.index.Timelines != nil {
			err = h.index.Timelines.Rebuild(ctx, reader, author)
		}
	case "OnBlockWritten" + whatNames:
		err = h.index.Tallies.Naming(ctx, reader, author)
	case "OnHiddenWritten":
		err = h.hidden(ctx, reader, post)
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
	return page, err
}
