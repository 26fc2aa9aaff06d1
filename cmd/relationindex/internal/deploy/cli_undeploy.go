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
	var yes bool
	cmd := &cobra.Command{
		Use:   "undeploy --project P --location L --region R",
		Short: "Remove what deploy made in a project, and nothing else",
		Long: `undeploy removes the functions, the scheduler's job, metrics, alerts and the dashboard, and
the service accounts with their roles. It removes only parts whose labels and descriptions
say that deploy made them under this --name. After an interruption, run it again.

undeploy keeps data, rules and indexes, which your app may use, and what Google charges
little for. These parts are left, each with a command that removes it:

` + byHand("P", "R", "DATABASE") + deployHelp,
		Example: `  relationindex undeploy --dry-run --project p --location us-central1 --region us-central1
  relationindex undeploy --yes --project p --location us-central1 --region us-central1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := d.fill(); err != nil {
				return err
			}
			plan, err := Removal(d.options)
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
			if err := d.carryOut(cmd, plan); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "These are left:\n"+byHand(d.options.Project, d.options.Region, d.options.Config.DatabaseID()))
			return nil
		},
	}
	d.addFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// byHand lists the parts that undeploy leaves, with their effects and the commands that remove them.
func byHand(project, region, database string) string {
	in := fmt.Sprintf("--project=%s --database='%s'", project, database)
	return "  rules      clients still write follows and read old feeds: deploy your own with firebase-tools\n" +
		"  indexes    cost storage and writes\n" +
		"    gcloud firestore indexes composite list " + in + "  # and: … delete ID\n" +
		"    gcloud firestore indexes fields list " + in + "  # and: … update FIELD --clear-exemption --async\n" +
		"  expiry     of relations, entries of timelines, notifications and jobs goes on\n" +
		"    gcloud firestore fields ttls list " + in + "  # and: … update FIELD --collection-group=GROUP --disable-ttl --async\n" +
		"  data       _relations and timeline have old posts, also deleted ones; follows and posts are yours\n" +
		"             _settings has what the functions ran with, for a later deployment\n" +
		"    gcloud firestore bulk-delete " + in + " --collection-ids=_relations  # every collection of that id\n" +
		"  images     of the functions, and what they were built of: some cents a month\n" +
		"    gcloud artifacts docker images list " + region + "-docker.pkg.dev/" + project + "/gcf-artifacts --project=" + project + "  # and: … delete IMAGE\n" +
		"    gcloud storage ls --project=" + project + "  # gcf-v2-sources-NUMBER-" + region + " and gcf-v2-uploads-NUMBER-" + region + ", which other functions use too\n" +
		"  roles      Feed's custom role, and the role of Pub/Sub's agent, which others may use\n" +
		"    gcloud iam roles delete relationindexFeed --project=" + project + "\n" +
		"  secret     the key of tombstones: without it, those of deleted accounts mean nothing\n" +
		"    gcloud secrets delete relationindex-tombstone-key-" + strings.Trim(database, "()") + " --project=" + project + "\n" +
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
