package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
)

const (
	// maxUnfinished is the most jobs that wait finds by itself.
	maxUnfinished = 10_000
	// defaultPatience is as long as a step of a job may take, and a bit.
	defaultPatience = 10 * time.Minute
)

func newWait(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait [ID ...]",
		Short: "Wait until jobs have ended",
		Long: `wait prints a line for each of the jobs when it has ended, and then how many ended
how. Without an ID the jobs are those that are unfinished now. What was only just
written may have no job yet. On a terminal a line shows
how far all of them are together.

It exits with 0 if all are done, and with 1 if one has failed, was canceled or was
deleted, or if the time is over first: then it prints how far each is. The jobs go
on, whether somebody waits or not.

It costs a read for each unfinished job each time that it looks. The first pause is a
fifth of a second, and each is twice the one before, up to ten seconds; but with many
jobs a pause is a hundredth of a second for each: at most a hundred reads a second on
average. A look that fails is repeated after the pause, unless the database is not
there, or may not be read.` + command.TargetHelp,
		Example: `  relationindex jobs wait
  relationindex jobs wait index:alice:00001 post:p1~00001- --timeout 1h`,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if timeout <= 0 {
				return command.Usagef("--timeout %v: must be positive", timeout)
			}
			return withEngine(cmd.Context(), &t, ids, func(engine *chunker.Engine) error {
				started := time.Now()
				listing, cancel := context.WithTimeout(cmd.Context(), timeout)
				defer cancel()
				jobs, err := jobsToWaitFor(listing, engine, &t, ids)
				if err != nil {
					return err
				}
				if len(jobs) == 0 {
					fmt.Fprintln(cmd.ErrOrStderr(), "no job is unfinished")
					return nil
				}
				return wait(cmd.Context(), engine, jobs, cmd.OutOrStdout(), started, timeout)
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().DurationVar(&timeout, "timeout", defaultPatience, "how long to wait")
	return cmd
}

// jobsToWaitFor are the jobs with the ids, or without ids the unfinished ones;
// none of them twice.
func jobsToWaitFor(ctx context.Context, engine *chunker.Engine, t *command.Target, ids []string) ([]chunker.Job, error) {
	var jobs []chunker.Job
	var errs []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		job, err := getJob(ctx, engine, t, id)
		jobs, errs = append(jobs, job), append(errs, err)
	}
	err := errors.Join(errs...) // names all that are not there
	if len(ids) == 0 {
		jobs, err = engine.Unfinished(ctx, maxUnfinished)
	}
	return jobs, err
}
