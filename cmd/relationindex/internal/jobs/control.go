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

func newRetry(guards command.Guards) *cobra.Command {
	return newControl(guards, "retry", "Continue a failed or canceled job, or start a job that waits for its account's next hour",
		`retry queues a job that failed or was canceled. The functions continue after the last
document that the job finished, and forget its failures. First read the reason, which
'jobs show ID' prints. retry exits with 1 if the job cannot continue.

A job that waits because an account did more than its hour allows begins now. A job
that waits for its next attempt continues by itself. To make it continue now, cancel
it, and then retry it.`, retry)
}

func newCancel(guards command.Guards) *cobra.Command {
	return newControl(guards, "cancel", "Stop a job",
		`cancel stops a job: no further step begins, and a running step ends after its current
page. Finished work stays. The index is incomplete until 'jobs retry' continues the job.
cancel exits with 1 if the job has already ended.`, cancel)
}

// newControl returns a command that changes a job and prints the change.
func newControl(guards command.Guards, name, short, long string, do func(context.Context, *chunker.Engine, *command.Target, string) (string, error)) *cobra.Command {
	t := command.Target{Guards: guards, Plain: name == "cancel"} // cancel must work with any configuration
	cmd := &cobra.Command{
		Use:   name + " ID",
		Short: short,
		Long:  long + command.TargetHelp,
		Example: fmt.Sprintf(`  relationindex jobs %[1]s index:alice:00001
  relationindex jobs %[1]s post:p1~00001- --project my-project --live`, name),
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd.Context(), &t, args, func(engine *chunker.Engine) error {
				said, err := do(cmd.Context(), engine, &t, args[0])
				if err == nil {
					fmt.Fprintln(cmd.OutOrStdout(), said)
				}
				return err
			})
		},
	}
	t.AddFlags(cmd)
	return cmd
}

func retry(ctx context.Context, engine *chunker.Engine, t *command.Target, id string) (string, error) {
	job, err := engine.Retry(ctx, id)
	if err != nil {
		return "", refusal(t, "retry", id, err)
	}
	said := fmt.Sprintf("job %q is queued: the functions go on after %s.", id, progressOf(job))
	return said + "\nTo wait for its end: " + t.Hint("jobs wait "+command.Quoted(id), false), nil
}

func cancel(ctx context.Context, engine *chunker.Engine, t *command.Target, id string) (string, error) {
	job, err := engine.Cancel(ctx, id)
	if err != nil {
		return "", refusal(t, "cancel", id, err)
	}
	said := fmt.Sprintf("job %q is %s after %s. A step that is under way ends with its page.\n", id, job.State, progressOf(job))
	if job.Kind == schema.KindPurge {
		said += "What the purge has deleted is gone, and the rest of the account stays. Clients may create the account again now.\n"
	}
	return said + "To let it go on from there: " + t.Hint("jobs retry "+command.Quoted(id), true), nil
}

// refusal returns an error that says why a job was not retried or canceled, and what can be done.
func refusal(t *command.Target, do, id string, err error) error {
	switch {
	case errors.Is(err, chunker.ErrNotFound):
		return noJob(t, id)
	case errors.Is(err, chunker.ErrNewer):
		return fmt.Errorf("%w. The functions and commands of this release do not change this job. "+
			"Run the command of the newer release: %s", err, t.Hint("jobs "+do+" "+command.Quoted(id), true))
	case errors.Is(err, chunker.ErrNotStopped):
		return fmt.Errorf("job %q is under way and continues by itself. To continue the job at once, cancel the job, then retry it. "+
			"To wait for its end: %s", id, t.Hint("jobs wait "+command.Quoted(id), false))
	case errors.Is(err, chunker.ErrFinished) && do == "retry":
		return fmt.Errorf("job %q is done, so it cannot be retried: the next change of its document queues the job again", id)
	case errors.Is(err, chunker.ErrFinished):
		return fmt.Errorf("job %q has already ended, so it cannot be canceled. To see how the job ended: %s", id, t.Hint("jobs show "+command.Quoted(id), false))
	default:
		return err
	}
}
