package deploy

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

func newUndeploy() *cobra.Command {
	var d deployment
	var yes, indexes bool
	cmd := &cobra.Command{
		Use:   "undeploy --project P --location L --region R",
		Short: "Remove what deploy made in a project, and nothing else",
		Long: `undeploy removes the functions, the scheduler's jobs, metrics, alerts and the dashboard, the
job of deploy --sample, and the service accounts with their roles. It removes only parts
whose labels and descriptions say that deploy made them under this --name. After an
interruption, run it again.

undeploy keeps the data, the rules, the indexes, the secret with the key of the tombstones,
and the custom role of Feed, which others may use. Rules belong to the whole database: to
remove ours, deploy others with firebase-tools. Indexes cost storage and writes while there
are documents: --indexes removes those of relations and jobs. With --indexes, undeploy stops
before any change in two cases: no function deployed under this name for this database exists,
or another deployment uses the database. These parts are left, each with a command that
removes it:

` + byHand("P", "DATABASE") + deployHelp,
		Example: `  relationindex undeploy --dry-run --project p --location us-central1 --region us-central1
  relationindex undeploy --yes --indexes --project p --location us-central1 --region us-central1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.fill(); err != nil {
				return err
			}
			plan, err := Removal(d.options, indexes)
			if err != nil {
				return err
			}
			if err := d.show(cmd, plan, ""); err != nil || d.dryRun {
				return err
			}
			if !yes {
				if err := confirm(cmd, d.options); err != nil {
					return err
				}
			}
			if err := d.carryOut(cmd, plan, (*Machine).Undeploy); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "These are left, except indexes that --indexes removed:\n"+byHand(d.options.Project, d.options.Config.DatabaseID()))
			return nil
		},
	}
	d.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "do not ask")
	f.BoolVar(&indexes, "indexes", false, "remove the indexes and settings of fields of relations and jobs")
	return cmd
}

// byHand lists the parts that undeploy leaves in a database, with their effects and the commands that remove them.
func byHand(project, database string) string {
	in := fmt.Sprintf("--project=%s --database='%s'", project, database)
	return "  rules      clients still write follows and read old feeds: deploy your own with firebase-tools\n" +
		"  indexes    cost storage and writes\n" +
		"    gcloud firestore indexes composite list " + in + "  # and: … delete ID\n" +
		"    gcloud firestore indexes fields list " + in + "  # and: … update FIELD --clear-exemption\n" +
		"  expiry     of relations, entries of timelines and notifications goes on\n" +
		"    gcloud firestore fields ttls update expireAt --disable-ttl --collection-group=_relations " + in + "\n" +
		"    gcloud firestore fields ttls update expireAt --disable-ttl --collection-group=timeline " + in + "\n" +
		"    gcloud firestore fields ttls update expireAt --disable-ttl --collection-group=notifications " + in + "\n" +
		"  data       _relations and timeline have old posts, also deleted ones; follows and posts are yours\n" +
		"             _settings has what the functions ran with, for a later deployment\n" +
		"    gcloud firestore bulk-delete " + in + " --collection-ids=_relations  # every collection of that id\n" +
		"  After another deployment, run relationindex repair: only repair brings posts and follows written in between."
}

// confirm asks the person to type the deployment's name, and returns an error if the answer differs.
func confirm(cmd *cobra.Command, o Options) error {
	fmt.Fprintf(cmd.ErrOrStderr(), "This removes the deployment %s from the project %s, database %s: followers and posts of its users are no longer brought to feeds.\nType its name to go on: ", o.Name, o.Project, o.Config.DatabaseID())
	answer, err := bufio.NewReader(cmd.InOrStdin()).ReadString('\n')
	if strings.TrimSpace(answer) == o.Name {
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return errors.New("not confirmed: nothing was changed (--yes does not ask)")
}
