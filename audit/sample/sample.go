package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// Options configures Run.
type Options struct {
	// Reads is the most documents that the first checks read. Second checks of suspected errors, and repairs, cost
	// further reads. 0: one account.
	Reads int64
	// For is the longest duration of the first checks; 0: [DefaultFor]. Then Run stores its place.
	For time.Duration
	// Repair mends the accounts with findings. With timelines, it also brings each account the posts that only a repair
	// brings: see [entries.Repair].
	Repair bool
	// KeepOthers makes a repair of a timeline keep what other options would keep: see [entries.Options]. Set it unless
	// the options are those of the functions.
	KeepOthers bool
	// Pause is the time between the two checks; 0: [DefaultPause].
	Pause time.Duration
	// Wait waits; nil: by a timer.
	Wait func(ctx context.Context, d time.Duration) error
	// Report gets each finding; nil: not called.
	Report func(Finding)
	// Progress gets the number of accounts checked; nil: not called.
	Progress func(accounts int64)
}

// newestPosts is the number of an account's newest posts that are checked for numbers and notifications.
const newestPosts = 20

// DefaultFor leaves a run of an hour time for the second checks, and for repairs.
const DefaultFor = 40 * time.Minute

// DefaultPause is longer than a redelivered event takes.
const DefaultPause = time.Minute

// Sampled describes the work of a call of Run.
type Sampled struct {
	Accounts int64    `json:"accounts"` // checked
	Reads    int64    `json:"reads"`    // of all checks and repairs
	Found    int64    `json:"found"`    // findings
	Busy     int64    `json:"busy"`     // wrong twice, but an unfinished job may mend it
	Left     int64    `json:"left"`     // with Repair: findings that remain after it; without: all findings
	Large    []string `json:"large"`    // skipped accounts, each of which costs more than the budget
	Braked   bool     `json:"braked"`   // the brake is on: Run checked and repaired nothing more, because missing posts wait for its end
	Blind    bool     `json:"blind"`    // there are so many unfinished jobs that each finding counts as Busy
	Ended    bool     `json:"ended"`    // the round has ended
	Round    Round    `json:"round"`
}

// Run checks the accounts after those of the last call, in the order of their ids, until the budget of reads is spent
// or the round has ended. Call it repeatedly, from one place at a time: two calls at once check the same accounts.
//
// If an account's check exceeds the budget, Run leaves the account to the next call. If it was the first account of its
// call, Run skips it. After a crash, the next call checks the same accounts again. While the brake is on, Run does
// nothing.
//
// Run costs two reads and a write. Each account costs at least 9 reads, and 6 more with timelines, 7 more with numbers
// or with notifications, 13 more with both, and one more with Repair. The start of a round costs a read for each
// thousand accounts. The budget covers only the accounts.
func Run(ctx context.Context, s *social.System, o Options) (Sampled, error) {
	ctx, meter := wire.WithMeter(ctx)
	o.Pause, o.For = cmp.Or(o.Pause, DefaultPause), cmp.Or(o.For, DefaultFor)
	if o.Wait == nil {
		o.Wait = wait
	}
	r := &run{System: s, Options: o, meter: meter, verifier: verify.New(s)}
	r.verifier.NoJobs, r.verifier.Newest = true, newestPosts
	err := r.run(ctx)
	if err != nil {
		err = fmt.Errorf("sample: %w", err)
	}
	r.done.Reads = meter.Counts().Reads
	return r.done, err
}

// run is one call of Run.
type run struct {
	*social.System
	Options
	meter    *wire.Meter
	begun    int64     // reads before the first account
	ends     time.Time // of the first checks
	verifier *verify.Verifier
	memory   entries.Memory
	checked  []account
	failed   []error // of single accounts: a later round checks them again
	done     Sampled
}

// account is an account, with the findings of its first check.
type account struct {
	id              string
	graph, timeline []Finding
}

func (r *run) run(ctx context.Context) error {
	if err := r.begin(ctx); err != nil || r.done.Braked {
		return err
	}
	r.ends = time.Now().Add(r.For)
	r.begun = r.meter.Counts().Reads
	for _, part := range []func(context.Context) error{r.walk, r.again} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	r.done.Round.Checked += r.done.Accounts
	r.done.Round.Reads += r.meter.Counts().Reads
	return errors.Join(append(r.failed, r.store(ctx))...)
}

// accountsAtOnce is the number of accounts that a query lists: accounts listed but not checked are wasted reads.
const accountsAtOnce = 20

// walk makes the first checks.
func (r *run) walk(ctx context.Context) error {
	var after *firestore.DocumentRef
	if id := r.done.Round.After; id != "" {
		after = r.DB.User(id)
	}
	for {
		docs, err := store.ListPage(ctx, r.accounts(), after, accountsAtOnce)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if r.done.Accounts > 0 && r.spent() {
				return nil
			}
			if spent, err := r.first(ctx, doc.Ref.ID); spent || err != nil {
				return err
			}
			after = doc.Ref
		}
		if len(docs) < accountsAtOnce {
			r.done.Round.After, r.done.Ended = "", true
			return nil
		}
	}
}

// spent reports whether accounts have used up the budget or the time.
func (r *run) spent() bool {
	return r.meter.Counts().Reads-r.begun >= r.Reads || time.Now().After(r.ends)
}

// errSpent ends a check that exceeds the budget.
var errSpent = errors.New("the budget of reads is spent")

// first makes the first check of an account. If that exceeds the budget, the budget is spent.
func (r *run) first(ctx context.Context, id string) (spent bool, err error) {
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := func(int64) {
		if r.spent() && r.Reads > 0 {
			cancel(errSpent)
		}
	}
	a := account{id: id}
	a.graph, a.timeline, err = r.check(bounded, id, watch)
	switch spent = err != nil && errors.Is(context.Cause(bounded), errSpent); {
	case spent && r.done.Accounts > 0: // it is the first account of the next call
		return true, nil
	case spent:
		r.done.Large = append(r.done.Large, id)
		r.done.Round.After = id
		return true, nil
	case err != nil && ctx.Err() != nil:
		return false, err
	case err != nil:
		r.failed = append(r.failed, err)
	default:
		r.checked = append(r.checked, a)
	}
	r.done.Round.After = id
	if r.done.Accounts++; r.Progress != nil {
		r.Progress(r.done.Accounts)
	}
	return false, nil
}

// check checks an account with any id.
func (r *run) check(ctx context.Context, id string, progress func(int64)) (graph, timeline []Finding, err error) {
	if schema.CheckAccountID(id) != nil {
		return nil, nil, nil
	}
	if graph, err = r.graphOf(ctx, id, progress); err == nil {
		timeline, err = r.timelineOf(ctx, id, entries.Check, entries.Options{Memory: &r.memory, Progress: progress})
	}
	return graph, timeline, err
}

// graphOf checks an account as an author and as a follower.
func (r *run) graphOf(ctx context.Context, id string, progress func(int64)) (found []Finding, err error) {
	_, err = r.verifier.Author(ctx, id, func(v verify.Violation) { found = append(found, ofViolation(id, v)) }, progress)
	return found, err
}

// timelineOf checks an account as a reader, or repairs its timeline.
func (r *run) timelineOf(ctx context.Context, id string, do checking, o entries.Options) (found []Finding, err error) {
	if r.Timelines == nil || schema.IsGroup(id) {
		return nil, nil
	}
	o.Only, o.Report = id, func(p entries.Problem) { found = append(found, ofProblem(id, p)) }
	checked, err := do(ctx, r.Timelines, o)
	r.done.Left += checked.Unrepaired
	return found, err
}

// again checks accounts with suspected errors a second time, after a pause. It reports and repairs the remaining
// errors.
func (r *run) again(ctx context.Context) error {
	suspects := 0
	for _, a := range r.checked {
		suspects += len(a.graph) + len(a.timeline)
	}
	if suspects == 0 && (!r.Repair || r.Timelines == nil) {
		return nil
	}
	if suspects > 0 {
		if err := r.Wait(ctx, r.Pause); err != nil {
			return err
		}
	}
	jobs, err := r.jobs(ctx)
	if err != nil {
		return err
	}
	r.done.Blind = jobs.many
	for _, a := range r.checked {
		if r.Repair { // somebody may have turned the brake on during the run
			brake, err := r.DB.Client.GetAll(ctx, []*firestore.DocumentRef{schema.BrakeDocument(r.DB.Client)})
			if r.done.Braked = err == nil && brake[0].Exists(); r.done.Braked || err != nil {
				return err
			}
		}
		if err := r.second(ctx, a, jobs); err != nil {
			r.failed = append(r.failed, err)
		}
	}
	return context.Cause(ctx)
}

// second is again for one account.
func (r *run) second(ctx context.Context, a account, jobs underWay) error {
	if len(a.graph) > 0 {
		now, err := r.graphOf(ctx, a.id, nil)
		if err != nil {
			return err
		}
		if r.confirm(a.graph, now, jobs) {
			repaired, err := repair.New(r.System).Repair(ctx, a.id, nil, nil)
			if r.done.Left += repaired.After.Violations - repaired.After.Jobs; err != nil {
				return err
			}
		}
	}
	repairs := r.Repair
	if len(a.timeline) > 0 {
		now, err := r.timelineOf(ctx, a.id, entries.Check, entries.Options{})
		if err != nil {
			return err
		}
		repairs = r.confirm(a.timeline, now, jobs)
	}
	if !repairs {
		return nil
	}
	_, err := r.timelineOf(ctx, a.id, entries.Repair, entries.Options{KeepOthers: r.KeepOthers})
	return err
}

// confirm reports an error found by both checks, unless a job may be about to mend it. Only an account with such an error, and
// without one that a job may mend, may be repaired: a repair would bring what waits for an account's hour.
func (r *run) confirm(before, now []Finding, jobs underWay) (repair bool) {
	touched, unrepaired := false, int64(0)
	was := map[string]bool{}
	for _, f := range before {
		was[f.String()] = true
	}
	for _, f := range now {
		busy := jobs.touch(f)
		touched = touched || busy
		switch {
		case !was[f.String()]:
		case busy:
			r.done.Busy++
		default:
			r.done.Found++
			unrepaired++
			if r.Report != nil {
				r.Report(f)
			}
			repair = true
		}
	}
	if repair = repair && !touched && r.Repair; !repair {
		r.done.Left += unrepaired
	}
	return repair
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
