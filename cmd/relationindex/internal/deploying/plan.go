package deploying

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/internal/upload"
)

func newDeployPlan() *cobra.Command {
	var d deployment
	var asJSON, files, source bool
	cmd := &cobra.Command{
		Use:   "deploy-plan --project P --location L --region R",
		Short: "Print what deploy would ask and do",
		Long: `deploy-plan prints the plan of a deployment, as text or as JSON: what is asked
first, by which command, and by which rule; and the steps, each with the command
that looks whether it has been taken, those that take it, and those that undo it.

In the commands, $WORK and $SOURCE are what --files and --source-digest print.` + deployHelp,
		Example: `  relationindex deploy-plan --json --project p --location us-central1 --region us-central1`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := d.plan()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			switch {
			case plan.ConfigErr != nil:
				return plan.ConfigErr
			case files:
				return writeFiles(out, plan)
			case source:
				digest, _, err := upload.Digest(cmd.Context(), d.source)
				if err == nil {
					fmt.Fprintln(out, digest)
				}
				return err
			case asJSON:
				encoder := json.NewEncoder(out)
				encoder.SetIndent("", "  ")
				encoder.SetEscapeHTML(false)
				return encoder.Encode(plan)
			default:
				return printed(cmd, plan, plan.Text())
			}
		},
	}
	d.addFlags(cmd)
	d.addPlanFlags(cmd)
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, `print one object {"variables","preconditions","steps"}`)
	f.BoolVar(&files, "files", false, "write the files that the commands read to a new directory, and print its path")
	f.BoolVar(&source, "source-digest", false, "print the digest of what would be uploaded")
	cmd.MarkFlagsMutuallyExclusive("json", "files", "source-digest")
	return cmd
}

func writeFiles(out io.Writer, plan *deploy.Plan) error {
	dir, err := os.MkdirTemp("", "relationindex-deploy-")
	if err != nil {
		return err
	}
	if err := plan.WriteFiles(dir); err != nil {
		return err
	}
	fmt.Fprintln(out, dir)
	return nil
}
