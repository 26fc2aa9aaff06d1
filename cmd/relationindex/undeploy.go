package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/internal/deploy"
)

func newUndeploy() *cobra.Command {
	var d deployment
	var dryRun, yes, indexes bool
	cmd := &cobra.Command{
		Use:   "undeploy --project P --location L --region R",
		Short: "Remove what deploy made in a project, and nothing else",
		Long: `undeploy removes the functions, the scheduler's job, what watches them, and the
service accounts with their roles, as far as their labels and descriptions say
that deploy made them under this --name. It may be run again after it was
interrupted.

It keeps the data, the rules and the indexes. Rules are those of the whole
database: to be rid of ours, deploy others with firebase-tools. Indexes cost
storage and writes while there are documents: --indexes removes those of
relations and jobs. To remove the rest by hand:

  gcloud firestore indexes composite list --project P     # and: … delete ID
  gcloud firestore indexes fields list --project P        # and: … update FIELD --clear-exemption
  firebase firestore:delete --recursive PATH --project P  # data` + deployHelp,
		Example: `  relationindex undeploy --dry-run --project p --location nam5 --region us-central1
  relationindex undeploy --yes --indexes --project p --location nam5 --region us-central1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.fill(); err != nil {
				return err
			}
			plan, err := deploy.Removal(d.options, indexes)
			if err != nil {
				return err
			}
			if dryRun {
				return printed(cmd, plan, plan.RemovalText())
			}
			if !yes {
				if err := confirm(cmd, d.options); err != nil {
					return err
				}
			}
			if err := d.carryOut(cmd, plan, (*deploy.Machine).Undeploy); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "Rules and data are kept, and indexes unless --indexes was given: undeploy --help tells how to remove them.")
			return nil
		},
	}
	d.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&dryRun, "dry-run", false, "print every command, for a shell, and run none; needs no network")
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&indexes, "indexes", false, "remove the indexes and settings of fields of relations and jobs")
	return cmd
}

// confirm asks for the deployment's name.
func confirm(cmd *cobra.Command, o deploy.Options) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "This removes the deployment %s from the project %s: followers and posts of its users are no longer brought to feeds.\nType its name to go on: ", o.Name, o.Project)
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if strings.TrimSpace(answer) == o.Name {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errors.New("not confirmed: nothing was changed (--yes does not ask)")
}
