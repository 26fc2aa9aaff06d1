// Command chaos runs random workloads on the whole system with faults of every kind, and checks with
// the oracle what readers see:
//
//	go run ./bench/chaos -seeds 5 -ops 5000
//
// It prints what each run had, and its first differences. It exits with 1 if there is a difference. Run each of these with a backfill of 0 and of 20, and with
// more posts than that:
//
//	-blocks
//	-blocks -timeline items -plain -posts 40 -backfill 20
//	-blocks -timeline items -posts 40 -backfill 20
//	-blocks -timeline items -plain -cap 20 -posts 40 -backfill 20
//	-blocks -timeline buckets -posts 40 -backfill 20
//	-blocks -timeline ring -posts 40 -backfill 20
//	-blocks -timeline days -posts 40 -backfill 20
//	-off -blocks -timeline items -posts 40 -backfill 20
//	-weather 0.02 -blocks
//	-sweepless 2m -blocks
//	-tallies -blocks
//	-tallies -blocks -weather 0.1 -chaos duplicate=0.3,reorder=0.3,delay=2s,drop=0.1,lose=0.02
//	-tallies -blocks -timeline items -posts 40 -backfill 20
//	-brake -blocks -timeline items -posts 40 -backfill 20
//	-timeline items -plain -posts 40 -backfill 20 -chaos duplicate=0.3,reorder=0.3,delay=2s,drop=0.1,lose=0.02
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	rates "example.com/relationindex/emulator/chaos"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
	"example.com/relationindex/test/chaos"

	"example.com/relationindex/bench/internal/program"
)

func main() { program.Main("chaos", check) }

// shown is the number of differences printed for a run.
const shown = 20

// options are the flags.
type options struct {
	seeds int
	seed  uint64
	spec  string // of the events' chaos
	form  string // of timelines

	backfill int    // -1: the value of the form
	program  string // serves the functions; "": this program
	run      chaos.Options
	flags    *flag.FlagSet // as they were parsed
}

func parse(args []string) (options, error) {
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	o := options{flags: flags}
	flags.IntVar(&o.seeds, "seeds", 5, "how many runs to make, each with a seed of its own")
	flags.Uint64Var(&o.seed, "seed", 1, "the first seed")
	flags.IntVar(&o.run.Workload.Ops, "ops", 5000, "operations of a run, at least")
	flags.IntVar(&o.run.Workload.Users, "users", 200, "accounts")
	flags.IntVar(&o.run.Workload.Posts, "posts", 16, "posts that an author has at a time, at most")
	flags.DurationVar(&o.run.Workload.Horizon, "horizon", 0, "the age up to which posts have relations, such as 168h; 0: any age")
	flags.StringVar(&o.form, "timeline", "", "timelines that the functions keep: items, buckets, ring or days; none: relations alone")
	flags.IntVar(&o.backfill, "backfill", -1, "posts that a follow brings to timelines; -1: as the form has it")
	flags.IntVar(&o.run.Cap, "cap", 0, "entries that a timeline keeps, at least; 0: as the form has it")
	flags.BoolVar(&o.run.Plain, "plain", false, "readers of timelines decide nothing, and comments lift nothing")
	flags.BoolVar(&o.run.Workload.Blocks, "blocks", false, "readers block authors who sent them posts")
	flags.BoolVar(&o.run.Workload.Tallies, "tallies", false, "accounts like posts, comment, and undo likes and comments: functions keep numbers and notifications")
	flags.BoolVar(&o.run.Off, "off", false, "timelines are off for a third of the operations, and repaired when they are on again")
	flags.BoolVar(&o.run.Unrepaired, "unrepaired", false, "with -off: timelines are not repaired")
	flags.BoolVar(&o.run.Brake, "brake", false, "the brake is on for a third of the operations")
	flags.IntVar(&o.run.Hour, "hour", 0, "acts of an account in an hour, which passes within seconds; 0: any number")
	flags.StringVar(&o.spec, "chaos", "duplicate=0.3,reorder=0.3,delay=2s,drop=0.1", "failures of event deliveries; sampling repairs the losses of lose=0.02")
	flags.Float64Var(&o.run.Faults.Rate, "faults", 0.05, "share of the functions' calls to Firestore that fail")
	flags.Float64Var(&o.run.Faults.Stall, "stalls", 0.02, "share of the functions' transactions and plain writes that are held")
	flags.DurationVar(&o.run.Faults.StallFor, "stall-for", 4*time.Second, "how long such a call is held")
	flags.IntVar(&o.run.KillEvery, "kill-every", 500, "operations between two kills of a worker; 0: none")
	flags.DurationVar(&o.run.Sweepless, "sweepless", 0, "how long after the operations Sweep is called first; 0: always")
	flags.Float64Var(&o.run.Weather, "weather", 0, "simulate production's weather; long waits are multiplied by this, 0 to 1; 0: off")
	flags.StringVar(&o.program, "program", "", "serve the functions with this program instead, to test the functions of another checkout; it must have the same layout of timelines")
	flags.IntVar(&o.run.Workers, "workers", 3, "processes that serve the functions")
	if err := flags.Parse(args); err != nil {
		return options{}, program.ErrUsage
	}
	var err, formErr error
	o.run.Chaos, err = rates.Parse(o.spec)
	o.run.Timeline, formErr = chaos.ParseForm(o.form)
	switch {
	case err != nil:
	case formErr != nil:
		err = formErr
	case schema.CheckHorizon(o.run.Workload.Horizon) != nil:
		err = schema.CheckHorizon(o.run.Workload.Horizon)
	case o.run.Timeline != "" && o.run.Workload.Horizon > 0:
		err = fmt.Errorf("-horizon %v and -timeline %s exclude each other", o.run.Workload.Horizon, o.form)
	case o.run.Timeline == "" && (o.backfill >= 0 || o.run.Cap > 0 || o.run.Plain || o.run.Off):
		err = errors.New("-backfill, -cap, -plain and -off need -timeline")
	case o.run.Chaos.Lose > 0 && (o.run.Off || o.run.Timeline != "" && !o.run.Plain):
		err = fmt.Errorf("-chaos %s: loses events, which excludes -off, and requires -plain with -timeline", o.spec)
	case o.run.Brake && o.run.Off:
		err = errors.New("-brake and -off exclude each other")
	case flags.NArg() > 0:
		err = fmt.Errorf("argument %q: the command has only flags", flags.Arg(0))
	default:
		err = o.checkNumbers()
	}
	if o.program != "" {
		o.run.Command = []string{o.program, "functions"}
	}
	if o.backfill >= 0 {
		o.run.Backfill = &o.backfill
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		return options{}, program.ErrUsage
	}
	return o, nil
}

// checkNumbers joins an error for each number out of its range: the flag, its value and the rule.
func (o options) checkNumbers() error {
	var errs []error
	share := func(n float64) bool { return n >= 0 && n <= 1 } // NaN is none
	for _, f := range []struct {
		name, rule string
		ok         bool
	}{
		{"seeds", "at least 1", o.seeds >= 1}, {"ops", "at least 1", o.run.Workload.Ops >= 1}, {"users", "at least 2", o.run.Workload.Users >= 2},
		{"posts", "at least 1", o.run.Workload.Posts >= 1}, {"workers", "at least 1", o.run.Workers >= 1},
		{"kill-every", "at least 0", o.run.KillEvery >= 0}, {"hour", "at least 0", o.run.Hour >= 0},
		{"faults", "a share of 0 to 1", share(o.run.Faults.Rate)}, {"stalls", "a share of 0 to 1", share(o.run.Faults.Stall)},
		{"weather", "0 (off) to 1", share(o.run.Weather)},
	} {
		if !f.ok {
			errs = append(errs, fmt.Errorf("-%s %v: must be %s", f.name, o.flags.Lookup(f.name).Value, f.rule))
		}
	}
	return errors.Join(errs...)
}

// withSeed returns the options of one run, with one seed for everything random.
func (o options) withSeed(seed uint64) chaos.Options {
	o.run.Workload.Seed, o.run.Chaos.Seed, o.run.Faults.Seed = seed, seed, seed
	return o.run
}

// repeat returns the command that repeats the run of a seed.
func (o options) repeat(seed uint64) string {
	command := fmt.Sprintf("go run ./bench/chaos -seeds=1 -seed=%d", seed)
	o.flags.Visit(func(f *flag.Flag) {
		if f.Name != "seeds" && f.Name != "seed" {
			command += fmt.Sprintf(" -%s=%q", f.Name, f.Value)
		}
	})
	return command
}

// check runs the command, from the arguments to the verdict.
func check(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	differences := 0
	for n := range uint64(o.seeds) { //nolint:gosec // at least 1
		seed := o.seed + n
		bar := console.Start(fmt.Sprintf("seed %d, run %d of %d", seed, n+1, o.seeds), 0)
		result, err := chaos.Run(ctx, o.withSeed(seed))
		bar.End()
		if err != nil {
			return fmt.Errorf("%w\nrepeat it: %s", err, o.repeat(seed))
		}
		fmt.Fprintln(out, result)
		for _, difference := range result.Shown[:min(shown, len(result.Shown))] {
			fmt.Fprintf(out, "seed %d: %s\n", seed, difference)
		}
		if result.Differences > 0 {
			fmt.Fprintf(out, "seed %d: %d differences; logs are in %s\nrepeat it: %s\n", seed, result.Differences, result.Logs, o.repeat(seed))
		}
		differences += result.Differences
	}
	if differences > 0 {
		return fmt.Errorf("%d differences", differences)
	}
	return nil
}
