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
	// maxUnfinished is the most jobs that wait finds without ids.
	maxUnfinished = 10_000
	// defaultPatience is a little longer than a step of a job may take.
	defaultPatience = 10 * time.Minute
)

func newWait(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "wait [ID ...]",
		Short: "Wait until jobs have ended",
		Long: `wait prints a line for each job when the job has ended, and at the end the number of jobs by
result. Without an ID, it waits for the jobs that are unfinished now. A document that was just
written may have no job yet. On a terminal, a line shows the progress of all jobs together.

wait exits with 0 if all jobs are done. It exits with 1 if a job failed, was canceled or was
deleted, or if the timeout ends first: then it prints each job's progress. The jobs continue,
whether or not somebody waits.

Each check reads one document for each unfinished job. The first pause is a fifth of a
second, and each pause is twice as long as the one before, up to ten seconds. With many jobs,
a pause is at least a hundredth of a second for each job, so wait reads at most 100 documents
a second on average. A check that fails is repeated after the pause, unless the database does
not exist, or may not be read.` + command.TargetHelp,
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

// jobsToWaitFor returns the jobs with the ids, or without ids the unfinished jobs.
// No job comes twice.
func jobsToWaitFor(ctx context.Context, engine *chunker.Engine, t *command.Target, ids []string) ([]chunker.Job, error) {
	var jobs []chunker.Job
	var errs []error
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		job, err := getJob(ctx, engine, t, id)
		jobs, errs = append(jobs, job), append(errs, err)
	}
	err := errors.Join(errs...) // names every missing job
	if len(ids) == 0 {
		jobs, err = engine.Unfinished(ctx, maxUnfinished)
	}
	return jobs, err
}
