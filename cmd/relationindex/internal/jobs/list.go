package jobs

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
)

// maxListed is the most jobs that list prints.
const maxListed = 1000

// states are what --state takes.
var states = []chunker.State{chunker.Queued, chunker.Running, chunker.Done, chunker.Failed, chunker.Canceled}

func newList(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var names []string
	var limit int
	var prefix string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "Print the jobs written last, those in a state, or those of a post",
		Long: `list prints the jobs that were written last, newest first; with --prefix those whose
ids begin with it, such as post:p1~ for the jobs of post p1, of which each has a range
of the post's relations; with --state those in one of the states, by their ids:

  queued    its next step is to begin, now or when it is time to try again
  running   a step is under way
  done      all of it is done
  failed    given up, for the reason that is shown; 'jobs retry' goes on
  canceled  stopped by a person; 'jobs retry' goes on

DONE is in documents, HOP how often a step has handed over to the next one, and
ATTEMPT how often the job has failed since it last got on. It costs a read a job.

With --json it prints one array of objects, all of whose fields are always there:

` + jobFields + `

null are a total that is not known, and what there is no error or time for. Times are UTC.` + command.TargetHelp,
		Example: `  relationindex jobs list
  relationindex jobs list --state queued --state running
  relationindex jobs list --prefix post:p1~
  relationindex jobs list --state failed --limit 1000 --json | jq -r '.[].id'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			wanted, err := parseStates(names)
			if err != nil {
				return command.Usage(err)
			}
			if limit < 1 || limit > maxListed {
				return command.Usagef("--limit %d: must be 1 to %d", limit, maxListed)
			}
			return withEngine(cmd.Context(), &t, nil, func(engine *chunker.Engine) error {
				list := func() ([]chunker.Job, error) { return engine.List(cmd.Context(), limit+1, wanted...) } // one more tells whether there are more
				if prefix != "" {
					list = func() ([]chunker.Job, error) { return engine.Named(cmd.Context(), prefix, limit+1) }
				}
				jobs, err := list()
				if err != nil {
					return err
				}
				more := len(jobs) > limit
				jobs = jobs[:min(limit, len(jobs))]
				return printJobs(cmd.OutOrStdout(), cmd.ErrOrStderr(), jobs, more, asJSON)
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().StringSliceVar(&names, "state", nil, "only jobs in this `state`; give it again, or several with commas, for more")
	cmd.Flags().StringVar(&prefix, "prefix", "", "only jobs whose ids begin with this `text`")
	cmd.MarkFlagsMutuallyExclusive("prefix", "state")
	cmd.Flags().IntVar(&limit, "limit", 50, "most jobs, 1 to 1000")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one array of objects")
	return cmd
}

func parseStates(names []string) ([]chunker.State, error) {
	var wanted []chunker.State
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !slices.Contains(states, chunker.State(name)) {
			return nil, fmt.Errorf("--state %q: must be queued, running, done, failed or canceled", name)
		}
		wanted = append(wanted, chunker.State(name))
	}
	return wanted, nil
}

// printJobs says on stderr what the list itself does not: that it is empty, or
// not all.
func printJobs(stdout, stderr io.Writer, jobs []chunker.Job, more, asJSON bool) error {
	switch {
	case len(jobs) == 0:
		fmt.Fprintln(stderr, "no jobs")
	case more:
		defer fmt.Fprintf(stderr, "there are more than these %d: --limit, --state and --prefix choose others\n", len(jobs))
	}
	switch {
	case asJSON:
		return json.NewEncoder(stdout).Encode(objectsOf(jobs))
	case len(jobs) == 0:
		return nil
	default:
		return jobTable(stdout, jobs, time.Now())
	}
}

// jobTable prints a line for each job.
func jobTable(out io.Writer, jobs []chunker.Job, now time.Time) error {
	rows := make([][]string, len(jobs))
	for i, job := range jobs {
		rows[i] = []string{
			job.ID, job.Kind, string(job.State), shortProgress(job), fmt.Sprint(job.Hop), fmt.Sprint(job.Attempt),
			console.Relative(job.UpdatedAt, now), reason(job),
		}
	}
	headers := []string{"ID", "KIND", "STATE", "DONE", "HOP", "ATTEMPT", "UPDATED", "ERROR"}
	return console.Table(out, "", headers, rows, 0)
}
