package operate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/audit/survey"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/schema"
)

// surveyed is a finding, for a person.
type surveyed survey.Finding

func (f surveyed) String() string {
	text := f.Collection + ": " + upTo(f.Documents) + console.Counted(f.Documents, "document")
	for _, w := range f.With {
		if w.NoIndex {
			text += ", " + w.Field + " not counted (it has no index)"
			continue
		}
		text += ", " + upTo(w.Documents) + console.Grouped(w.Documents) + " with " + w.Field
	}
	switch {
	case f.Without > 0 && f.Strange == 0:
		text += fmt.Sprintf("; %s strange, none of the %s read", console.Grouped(f.Without), console.Grouped(f.Sampled))
	case f.Without > 0:
		text += fmt.Sprintf("; %s strange, %s of the %s read", console.Grouped(f.Without), console.Grouped(f.Strange), console.Grouped(f.Sampled))
	case f.Documents > 0:
		text += fmt.Sprintf("; of %s read %s strange", console.Grouped(f.Sampled), console.Grouped(f.Strange))
	}
	if f.Example != "" {
		text += ", as " + f.Example
	}
	if len(f.Fields) > 0 {
		text += fmt.Sprintf(" (its fields: %s)", strings.Join(f.Fields, ", "))
	}
	if f.Problem != "" {
		text += ": " + f.Problem
	}
	return text
}

// upTo returns "at least " for a count that ended at its maximum.
func upTo(n int64) string {
	if n >= survey.MaxCounted {
		return "at least "
	}
	return ""
}

func newSurvey(guards command.Guards) *cobra.Command {
	t := command.Target{Guards: guards, Reads: true, Plain: true}
	var sample int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "survey",
		Short: "Check an app's database before relationindex is installed",
		Long: `survey checks each collection that relationindex reads or writes, before relationindex is
installed: users/*/following, _relations, posts and others. It counts the documents and
reads a sample of them. It prints the fields of these documents that are not as
relationindex needs them, what the functions would do with such documents, and which
documents lists would leave out. survey exits with 1 if you must solve a problem first:
functions would overwrite documents, or most documents of a collection would be left
out. It also exits with 1 if there is no document at all.

survey changes nothing. It samples --sample documents of each collection, from four
places, three of them random. That takes at most twice as many reads, and one more for
an example of each problem. The sample may miss a problem of few
documents, or documents whose ids begin alike. So survey also counts the posts with
userId and with createdAt, and the users with a name, each of the right type. A count
costs a read for each thousand documents, and ends at a million. survey prints the
number of its reads.` + command.TargetHelp,
		Example: `  relationindex survey --project my-project
  relationindex survey --project my-project --sample 1000 --json    # an object on each line`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if sample < 1 || sample > survey.MaxSample {
				return command.Usagef("--sample %d: must be 1 to %d", sample, survey.MaxSample)
			}
			return t.With(cmd.Context(), func(d *command.Database) error {
				db, err := schema.Open(d.Client, d.Config)
				if err != nil {
					return err
				}
				l := newListing("survey: collections", asJSON, cmd.OutOrStdout())
				defer l.bar.End()
				found, reads, err := survey.Collections(cmd.Context(), db, sample, l.bar.Set)
				stops, empty := map[string]bool{}, err == nil // by collection
				for _, f := range found {
					l.add(surveyed(f))
					if f.Stops {
						stops[f.Collection] = true
					}
					empty = empty && f.Documents == 0
				}
				l.found = len(stops)
				err = l.end(err, map[string]int64{"stops": int64(len(stops)), "reads": reads}, fmt.Sprintf("survey: %d collections to solve first, in %s reads", len(stops), console.Grouped(reads)))
				if err == nil && empty {
					return errors.New("survey: none of these collections has a document: check --project, RELATIONINDEX_DATABASE, RELATIONINDEX_USERS, RELATIONINDEX_POSTS and RELATIONINDEX_FOLLOWERS")
				}
				return err
			})
		},
	}
	t.AddFlags(cmd)
	cmd.Flags().IntVar(&sample, "sample", 100, "the number of documents to read in each collection, 1 to 1,000")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object for each finding, and the cost on the last line")
	return cmd
}
