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

// states are the values that --state accepts.
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
		Long: `list prints the jobs that were written last, newest first. With --prefix, it prints the jobs
whose ids begin with the text: post:p1~ finds the jobs of post p1, each for a range of the
post's relations. With --state, it prints the jobs in one of the states, by id:

  queued    its next step will begin, now or at the time of its next attempt
  running   a step is under way
  done      complete
  failed    given up for the printed reason; 'jobs retry' continues it
  canceled  stopped by a person; 'jobs retry' continues it

DONE counts documents. HOP counts how often a step started the next step. ATTEMPT counts
failures since the job's last progress. list reads one document for each job.

With --json it prints one array of objects. Every object has all fields:

` + jobFields + `

A total that is not known, and an error or a time that does not exist, are null. Times are UTC.` + command.TargetHelp,
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
				list := func() ([]chunker.Job, error) { return engine.List(cmd.Context(), limit+1, wanted...) } // one more shows whether there are more
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
	cmd.Flags().StringSliceVar(&names, "state", nil, "only jobs in this `state`; repeat the flag, or separate states by commas, for more")
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

// printJobs prints jobs. It says on stderr if the list is empty or incomplete.
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
