package deploy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/internal/config"
)

func newDeployCheck() *cobra.Command {
	var app, rules, merged string
	cmd := &cobra.Command{
		Use:   "deploy-check --app DIR",
		Short: "Print what the app's next firebase deploy would undo",
		Long: `deploy-check reads the firebase.json of an app that shares its database with this system, and
the rules and indexes that the file names. It prints what "firebase deploy" with these files
would replace or delete of what deploy made, and exits with 1 if there is anything. It
connects to nothing, and needs no project.

A database has one file of rules, and does not store who owns an index. firebase deploy
replaces the rules without a question, asks whether to delete indexes that are not in its
file, and replaces the override of a field that both files have. Keep both files complete:
copy our match blocks into the app's rules, and let --write-merged write the indexes.

The database is (default), or the one that RELATIONINDEX_DATABASE names.`,
		Example: `  relationindex deploy-check --app ~/my-app
  relationindex deploy-check --app ~/my-app --write-merged /tmp/firestore.indexes.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := config.LoadCLI()
			if err != nil {
				return err
			}
			ourRules := module.FirestoreRules
			switch rules {
			case StandardRules:
			case FeedOnlyRules:
				ourRules = module.FirestoreFeedOnlyRules
			default:
				return command.Usagef("--rules=%s: must be %s or %s", rules, StandardRules, FeedOnlyRules)
			}
			ours, err := coexist.ParseIndexes(module.FirestoreIndexes)
			if err != nil {
				return err
			}
			theirs, err := coexist.ReadApp(app, cfg.DatabaseID())
			if err != nil {
				return command.Usagef("--app %s: %w", app, err)
			}
			if theirs.Target != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "firebase.json names the target %s of .firebaserc. The check assumes that this target is the database %s\n", theirs.Target, cfg.DatabaseID())
			}
			findings := theirs.Findings(string(ourRules), ours)
			fmt.Fprint(cmd.OutOrStdout(), coexist.Text(findings))
			if merged != "" {
				if err := writeMerged(merged, theirs.Indexes, ours); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "written: %s, without the comments of yours. Compare it, put it in place of the app's, and run this again\n", merged)
			}
			if slices.ContainsFunc(findings, func(f coexist.Finding) bool { return f.Undoes }) {
				return command.ErrReported
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&app, "app", "", "`directory` with the app's firebase.json")
	f.StringVar(&rules, "rules", StandardRules, "our rules to compare the app's rules with: standard or feed-only")
	f.StringVar(&merged, "write-merged", "", "write the indexes of both to a new `file`")
	_ = cmd.MarkFlagRequired("app") // the flag exists
	return cmd
}

// writeMerged writes the indexes of the app and of this system to a new file.
func writeMerged(name string, theirs, ours *coexist.Indexes) error {
	if theirs == nil {
		theirs = &coexist.Indexes{}
	}
	text, err := coexist.Merge(theirs, ours)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // a file for a repository, as firebase init writes it
	if errors.Is(err, fs.ErrExist) {
		return command.Usagef("--write-merged %s: the file already exists: name a new file", name)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
