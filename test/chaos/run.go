package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/local/processes"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// Workload describes the operations of a run.
type Workload = clients.Workload

// Options configures a run. Workload is required. By default, nothing else disturbs the run.
type Options struct {
	Workload Workload
	// Functions configures the functions. The zero value means [Functions], with own posts for even seeds.
	Functions schema.Config
	// Timeline turns timelines on, in this form; "": no timelines. Plain means that readers decide
	// nothing, and that no comments lift. Backfill, unless nil, and Cap, unless 0, replace the form's
	// values.
	Timeline Form
	Plain    bool
	Backfill *int
	Cap      int
	// Off turns timelines off for the second third of the operations. Afterwards the repair command
	// repairs them, unless Unrepaired is set.
	Off, Unrepaired bool
	// Brake puts the brake on during the second third of the operations.
	Brake bool
	// Hour is the AccountHour of the functions; 0: none. What waits for it begins within seconds.
	Hour int
	// Command is the Command of [processes.Options].
	Command []string
	Workers int // processes that serve the functions; 0: 1

	// Chaos has the rates of the events' faults. With lost events (Lose), the run is mended as verify
	// --sample --repair does, whenever the system has come to rest.
	Chaos     chaos.Rates
	Faults    faults.Plan // of the functions' calls to Firestore
	KillEvery int         // operations between two kills of a worker; 0: none
	// Sweepless keeps Sweep from being called during the operations, and for this long afterwards, or
	// until the system is at rest. If no process dies and no call fails, the system must come to rest
	// without Sweep.
	Sweepless time.Duration
	// Weather, unless 0, simulates production's weather. It multiplies long waits: see "Scale" in
	// docs/weather.md.
	Weather float64
	// Halfway makes the system come to rest before the second half of the operations. So these find the
	// results of the first half, however slow the functions are.
	Halfway bool
}

const (
	// atOnce is the number of operations applied at the same time. If the functions do not keep up with those that are begun,
	// they see only the result of many.
	atOnce = 48
	// expiry is the time from a relation's expiry to its deletion.
	expiry = 2 * time.Second
	// idleTimeout is the longest time in which the system must come to rest after the last operation,
	// faults and kills. lateHops is the number of consecutive events that may, in addition, each be as
	// late as possible: events of a job's hops, and of writes that follow from them.
	idleTimeout = 10 * time.Minute
	lateHops    = 10
)

// Functions returns a configuration in which little data makes many index documents, jobs, and pages
// of jobs.
func Functions() schema.Config {
	return schema.Config{NoOwnPosts: true,
		Capacity: 6, InlineLimit: 3, Chunk: 3, Range: 4, CopiedFields: []string{"text", "mood"},
		Lease: 3 * time.Second, Step: 8 * time.Second,
	}
}

func (o Options) withDefaults() Options {
	if o.Functions.Capacity == 0 {
		o.Functions = Functions()
		o.Functions.NoOwnPosts = o.Workload.Seed%2 != 0
	}
	if o.Workload.Tallies {
		o.Functions.Counts, o.Functions.Notifications = true, true
	}
	o.Functions.AccountHour = cmp.Or(o.Hour, o.Functions.AccountHour)
	if o.Workload.Horizon > 0 {
		o.Functions.Horizon = o.Workload.Horizon
	}
	if o.Timeline != "" {
		o.Timeline.configure(&o.Functions)
		if o.Plain {
			o.Functions.ReaderSettings, o.Functions.Idle, o.Functions.Ranked = false, 0, false
		}
		if o.Backfill != nil {
			o.Functions.Backfill = *o.Backfill
		}
		if o.Functions.Cap = cmp.Or(o.Cap, o.Functions.Cap); o.Functions.Cap > 0 { // a backfill may not exceed the cap
			o.Functions.Cap = max(o.Functions.Cap, o.Functions.Backfill)
		}
		o.Functions.Feeds = schema.FeedsOf(o.Functions.Timeline(), o.Functions.Relations() || o.Off)
		o.Workload.Decides, o.Workload.Comments, o.Workload.Renames = o.Functions.ReaderSettings, o.Functions.Ranked, true
	}
	if o.Workload.Epoch.IsZero() {
		o.Workload.Epoch = time.Now().Truncate(time.Second)
	}
	if o.Workers == 0 {
		o.Workers = 1
	}
	return o
}

// Run starts a system, applies the workload, and checks the result. Differences are not an error. An
// error means that the run could not be made. After a difference or an error, the system's logs are
// kept, and their directory is named.
func Run(ctx context.Context, o Options) (Result, error) {
	o = o.withDefaults()
	began := time.Now()
	r := &run{Options: o, history: oracle.History{Lossy: o.Chaos.Lose > 0}, faults: faults.New(o.Faults)}
	locks := newLocks()
	var err error
	system := processes.Options{
		Project: "demo-chaos", Functions: o.Functions, Command: o.Command,
		Workers: o.Workers, Chaos: o.Chaos, Expiry: expiry,
		// Interceptors behind the faults see the calls that take effect.
		Interceptors: []wire.Interceptor{
			r.faults.Interceptor(), r.meter.Interceptor(), {Unary: locks.unary, Stream: locks.stream},
		},
	}
	if o.Sweepless > 0 {
		system.SweepEvery = never
	}
	if o.Weather > 0 {
		system.SetProductionWeather(o.Weather, o.Workload.Seed)
	}
	r.system, err = processes.Start(ctx, system)
	if err != nil {
		return Result{}, err
	}
	watching, end := context.WithCancel(ctx)
	defer end()
	go locks.watch(watching)
	guards, err := local.Guards(false, nil)
	if err == nil {
		r.client, err = wire.OpenDatabase(ctx, "demo-chaos", "", r.system.FirestoreHost(), testkit.Record(&r.history), guards)
	}
	if err == nil {
		err = errors.Join(r.compare(ctx), r.client.Close())
	}
	result := r.result(began)
	if closeErr := r.system.Close(); err != nil || closeErr != nil {
		return result, fmt.Errorf("seed %d: %w; logs are in %s", o.Workload.Seed, errors.Join(err, closeErr), r.system.Dir())
	}
	if result.Differences > 0 {
		result.Logs = r.system.Dir()
		return result, nil
	}
	return result, r.system.RemoveLogs()
}

// run is one run under way.
type run struct {
	Options
	system  *processes.System
	client  *firestore.Client // of the clients
	history oracle.History    // of the clients' writes
	faults  *faults.Faults
	meter   wire.Meter
	found   findings
	applied int
	braked  int  // jobs that waited while the brake was on
	waited  bool // waited for Sweep
}

// compare applies the workload, waits for its effects, and checks them.
func (r *run) compare(ctx context.Context) error {
	if err := clients.CreateAccounts(ctx, r.client, r.Workload.Users); err != nil {
		return fmt.Errorf("create accounts: %w", err)
	}
	ops := r.Workload.Operations()
	r.applied = len(ops)
	watched, passed := r.watch(ctx), r.hours(ctx)
	stop := func() error { return errors.Join(passed(), watched()) }
	client, err := wire.OpenUnderRules(ctx, "demo-chaos", r.system.FirestoreHost())
	if err != nil {
		return errors.Join(err, stop())
	}
	defer client.Close()
	w := &writers{open: r.client, underRules: client, report: r.found.report}
	killer := r.halfway(r.killer())
	apply := func(ops []clients.Op, applied func(int64) error) error {
		if len(ops) == 0 {
			return nil
		}
		return w.all(ctx, ops, atOnce, clients.PerSecond, applied)
	}
	third := len(ops) / 3
	switch {
	case r.Off:
		err = errors.Join(apply(ops[:third], killer), r.rest(ctx), r.deliver(ctx, false))
		err = errors.Join(err, apply(ops[third:2*third], killer), r.rest(ctx), r.deliver(ctx, true))
		err = errors.Join(err, apply(ops[2*third:], killer))
	case r.Brake:
		err = errors.Join(apply(ops[:third], killer), r.brake(ctx))
		err = errors.Join(err, apply(ops[third:2*third], killer), r.release(ctx))
		err = errors.Join(err, apply(ops[2*third:], killer))
	case r.Halfway:
		err = errors.Join(apply(ops[:len(ops)/2], killer), r.rest(ctx), apply(ops[len(ops)/2:], killer))
	default:
		err = apply(ops, killer)
	}
	r.faults.Stop()
	if err != nil {
		return errors.Join(err, stop())
	}
	err = r.rest(ctx)
	later := func(parts ...[]clients.Op) {
		nobodyDies := func(int64) error { return nil }
		for _, more := range parts {
			if err == nil {
				ops = append(ops, more...)
				err = apply(more, nobodyDies)
			}
		}
		if err == nil && len(slices.Concat(parts...)) > 0 {
			err = r.rest(ctx)
		}
	}
	var away, edits, returned []clients.Op
	if r.Workload.Decides && err == nil {
		if _, err = endOf(ctx, r.system.Client(), &r.history, &r.found); err == nil {
			away, edits, returned = atRest(oracleOf(&r.history, r.Functions), &r.history, r.Workload)
		}
	}
	again, last := ofOverwritten(ops, time.Now())
	later(away, again, last)
	if r.Workload.Tallies {
		later(witnessed(again))
	}
	later(edits)
	later(returned)
	if err := errors.Join(err, stop()); err != nil {
		return err
	}
	r.found.count("refused writes", int(w.refused.Load()))
	whole := r.Workload.Ops >= clients.IngredientsFrom
	if lacks := r.Workload.Lacking(ops); whole && len(lacks) > 0 {
		r.found.report("the run had none of these, and tests less than it says: %q", lacks)
	}
	r.checkWeather()
	err = check(ctx, r.system.Client(), r.Functions, &r.history, r.Workload.Users, &r.found)
	if whole && r.Timeline != "" && !r.Plain {
		r.found.require(r.Timeline.needs()...)
	}
	return err
}

// checkWeather reports expired events, and weather without any effect.
func (r *run) checkWeather() {
	w := r.system.Weather()
	if w == nil {
		return
	}
	if n := r.system.Stats().Expired; n > 0 {
		r.found.report("%d events expired", n)
	}
	if c := w.Counts(); c.Contended+c.Ramped+c.Building+c.Spells == 0 || len(r.system.Broker().Pauses("")) == 0 {
		r.found.report("the weather did nothing: %v", c)
	}
}

// rest waits, without faults, until the system is idle. If that takes too long, it reports a
// difference.
func (r *run) rest(ctx context.Context) error {
	r.faults.Pause(true)
	defer r.faults.Pause(false)
	if r.Sweepless > 0 {
		stop := r.sweepLater(ctx)
		defer stop()
	}
	patience := idleTimeout + lateHops*r.Chaos.Delay
	rest, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := r.restOfHour(rest)
	if err == nil && r.Chaos.Lose > 0 {
		err = r.mend(rest)
	}
	if _, busy := errors.AsType[*emulator.NotIdleError](err); busy && ctx.Err() == nil {
		r.found.report("not at rest after %v: %v", patience, err)
		return nil
	}
	if err == nil {
		r.history.Rest(time.Now())
	}
	return err
}

// watch starts watchJobs, and watches places if comments lift.
func (r *run) watch(ctx context.Context) (stop func() error) {
	jobs := r.watchJobs(ctx)
	if !r.Workload.Comments {
		return jobs
	}
	ctx, cancel := context.WithCancel(ctx)
	places := newPlaces(r.Workload.Users, r.found.report)
	ended := make(chan error, 1)
	go func() { ended <- places.watch(ctx, r.system.Client()) }()
	return func() error {
		cancel()
		return errors.Join(jobs(), <-ended)
	}
}

// watchJobs watches the promises of the job engine until stop is called. stop returns the watch's
// error.
func (r *run) watchJobs(ctx context.Context) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	watcher := newSafety(r.found.report)
	ended := make(chan error, 1)
	go func() { ended <- watcher.watch(ctx, r.system.Client().Collection(chunker.DefaultCollection)) }()
	return func() error {
		cancel()
		err := <-ended
		r.found.count("runs of jobs", watcher.runs)
		r.found.count("jobs that Sweep queued again", watcher.swept)
		return err
	}
}

// killer returns a function that kills a worker with every KillEvery-th operation but the last.
func (r *run) killer() func(applied int64) error {
	if r.KillEvery == 0 {
		return func(int64) error { return nil }
	}
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(r.Workload.Seed, 1)) //nolint:gosec // has to repeat
	return func(applied int64) error {
		if applied%int64(r.KillEvery) != 0 || applied == int64(r.applied) {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		return r.system.Kill(rng.IntN(r.Workers))
	}
}

// halfway returns killer. Under weather, the function also makes all composite indexes build again at
// the middle operation.
func (r *run) halfway(killer func(applied int64) error) func(applied int64) error {
	return func(applied int64) error {
		if w := r.system.Weather(); w != nil && applied == int64(r.applied/2) {
			for _, x := range w.Indexes() {
				w.Build(x, time.Duration(r.Weather*float64(weather.Production().Building)))
			}
		}
		return killer(applied)
	}
}

func (r *run) result(began time.Time) Result {
	stats, writes := r.system.Stats(), r.meter.Counts()
	r.found.count("operations", r.applied)
	r.found.count("jobs that waited for the brake", r.braked)
	for name, n := range map[string]int64{
		"events": stats.Events, "redeliveries": stats.Redeliveries, "duplicates": stats.Duplicates, "dropped deliveries": stats.Dropped, "lost events": stats.Lost,
		"kills": r.system.Kills(), "faults": r.faults.Counts().Total(), "writes": writes.Writes + writes.Deletes, "seconds": int64(time.Since(began).Seconds()),
	} {
		r.found.count(name, int(n))
	}
	return Result{Seed: r.Workload.Seed, Counts: r.found.counts, Differences: r.found.differences, Shown: r.found.shown}
}
