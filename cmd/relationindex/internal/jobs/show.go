package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
)

func newShow(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Print everything about one job",
		Long: `show prints a job's state and progress, its counts, the holder of its lease and the lease's
end, its next attempt, its last error, and its arguments. It leaves out what does not apply.
A private job keeps its arguments only until it is done. Of a job that a newer release wrote,
show prints the fields that every release can read. show reads one document.

With --json it prints one object, which has all fields of 'jobs list --json' and

` + detailsFields + `

A lease that nobody holds, and times that do not exist, are null.` + command.TargetHelp,
		Example: `  relationindex jobs show index:alice:00001
  relationindex jobs show post:p1~00001- --json | jq .error`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withEngine(cmd.Context(), &t, args, func(engine *chunker.Engine) error {
				job, err := getJob(cmd.Context(), engine, &t, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return json.NewEncoder(cmd.OutOrStdout()).Encode(detailsOf(job))
				}
				return printJob(cmd.OutOrStdout(), job, time.Now())
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one object")
	return cmd
}

func printJob(out io.Writer, job chunker.Job, now time.Time) error {
	return console.Fields(out, [][2]string{
		{"job", job.ID},
		{"kind", job.Kind},
		{"state", string(job.State)},
		{"schema", newer(job)},
		{"phase", ofMost(job.Phase+1, job.Phases)},
		{"progress", strings.TrimSuffix(progressOf(job)+", "+share(job), ", ")},
		{"counts", pairs(job.Counts)},
		{"walk", walk(job)},
		{"args", argsOf(job)},
		{"generation", generationOf(job)},
		{"hop", fmt.Sprint(job.Hop)},
		{"attempt", ofMost(job.Attempt, job.MaxAttempts)},
		{"failing", console.Moment(job.FailingSince, now)},
		{"lease", leaseOf(job, now)},
		{"wakes", console.Moment(job.WakeAt, now)},
		{"sweeps", sweepsOf(job)},
		{"error", errorOf(job, now)},
		{"event", job.EventID},
		{"created", console.Moment(&job.CreatedAt, now)},
		{"updated", console.Moment(&job.UpdatedAt, now)},
		{"finished", console.Moment(job.FinishedAt, now)},
		{"expires", console.Moment(job.ExpireAt, now)},
	})
}

// ofMost returns "2 of 10", or "2" if the maximum is unknown.
func ofMost(n, most int) string {
	if most < 1 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", min(n, most), most)
}

func argsOf(job chunker.Job) string {
	if job.Private && job.State == chunker.Done {
		return "removed: the job was private"
	}
	return pairs(job.Args)
}

func generationOf(job chunker.Job) string {
	if job.Generation != job.RunGeneration && !job.State.Finished() {
		return fmt.Sprintf("%s; this run covers %s, then there is another", job.Generation, job.RunGeneration)
	}
	return job.Generation
}

func leaseOf(job chunker.Job, now time.Time) string {
	switch l := job.Lease; {
	case l == nil:
		return ""
	case now.Before(l.Until):
		return fmt.Sprintf("held by %s for another %s", l.Holder, console.About(l.Until.Sub(now)))
	default:
		return fmt.Sprintf("held by %s until %s: its step died, and another may take over", l.Holder, console.Relative(l.Until, now))
	}
}

func errorOf(job chunker.Job, now time.Time) string {
	if job.Error == nil {
		return ""
	}
	return job.Error.String() + "\n" + console.Moment(&job.Error.At, now)
}

// sweepsOf returns how often a job was queued again since its last step, and a possible reason.
func sweepsOf(job chunker.Job) string {
	switch {
	case job.Sweeps == 0:
		return ""
	case job.State == chunker.Queued && job.Owner != "":
		return fmt.Sprintf("%d since its last step: it may wait for a turn of its author's", job.Sweeps)
	default:
		return fmt.Sprintf("%d since its last step", job.Sweeps)
	}
}
