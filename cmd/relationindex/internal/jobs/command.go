package jobs

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/schema"
)

// New returns the command jobs. guards is for clients of an emulator.
func New(guards command.Guards) *cobra.Command {
	cmd := command.Group(&cobra.Command{
		Use:                   "jobs list|show|retry|cancel|wait",
		DisableFlagsInUseLine: true,
		Short:                 "See, wait for, stop and retry the functions' bulk work",
		Long: `A job is bulk work that takes longer than one call of a function: a document on which the
functions work step by step. Each step's write triggers the next step. The subcommands are
for the operator.`,
		Example: `  relationindex jobs list
  relationindex jobs list --state failed
  relationindex jobs show index:alice:00001
  relationindex jobs retry index:alice:00001 && relationindex jobs wait index:alice:00001`,
	}, "'jobs list', 'jobs show ID', 'jobs retry ID', 'jobs cancel ID' or 'jobs wait [ID ...]'")
	cmd.AddCommand(newList(guards), newShow(guards), newRetry(guards), newCancel(guards), newWait(guards))
	return cmd
}

// withEngine checks ids, and calls work with the job engine of the target. The engine
// has no tasks, so it runs no step.
func withEngine(ctx context.Context, t *command.Target, ids []string, work func(*chunker.Engine) error) error {
	for _, id := range ids {
		if err := schema.CheckID(id); err != nil {
			return command.Usagef("job %q: %w", id, err)
		}
	}
	return t.With(ctx, func(db *command.Database) error { return work(chunker.New(db.Client, chunker.Options{})) })
}

// getJob returns a job. If the job does not exist, the error says where to look.
func getJob(ctx context.Context, engine *chunker.Engine, t *command.Target, id string) (chunker.Job, error) {
	job, err := engine.Get(ctx, id)
	if errors.Is(err, chunker.ErrNotFound) {
		err = noJob(t, id)
	}
	return job, err
}

func noJob(t *command.Target, id string) error {
	return fmt.Errorf("there is no job %q in this database. To list the jobs: %s", id, t.Hint("jobs list", false))
}
