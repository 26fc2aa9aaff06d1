package deploy

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	deployed "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/rulestext"
	"example.com/relationindex/schema"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration",
		Long: `config checks the variables that configure the functions: docs/configuration.md lists them.
It connects to nothing.`,
		Example: `  relationindex config check`,
	}
	cmd.AddCommand(newConfigCheck())
	return command.Group(cmd, "'config check'")
}

func newConfigCheck() *cobra.Command {
	var indexes, rules string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check variables, and the files of indexes and rules against them",
		Long: `check reads the variables as a function does when it starts: also those of relationindex.env,
or of the file that RELATIONINDEX_ENV names. It checks them against their rules, each other,
and firestore.indexes.json. It also checks that firestore.rules names the collections that
the variables rename; that does not prove that the rules are right. It prints OK, the
variables that differ from their defaults, and how many of a document's index entries a full
relation uses. If anything is wrong, it prints everything that is wrong, and exits with 1.

With an app's own files, it also prints what they lack of ours. The app's next firebase deploy
replaces all rules without a question, and asks whether to delete the indexes that its file
lacks. So the app's files must have ours: what stands between the marks of firestore.rules,
and every entry of firestore.indexes.json.`,
		Example: `  relationindex config check
  RELATIONINDEX_ENV=blue.env relationindex config check
  relationindex config check --indexes my-app/firestore.indexes.json --rules my-app/firestore.rules`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			indexesFile, err := fileOr(indexes, deployed.FirestoreIndexes)
			if err != nil {
				return err
			}
			rulesFile, err := fileOr(rules, deployed.FirestoreRules)
			if err != nil {
				return err
			}
			env, err := envfile.Environment()
			if err != nil {
				for _, wrong := range config.Each(err) {
					fmt.Fprintln(cmd.OutOrStdout(), wrong)
				}
				return command.ErrReported
			}
			cfg, err := env.Load(indexesFile)
			err = errors.Join(err, rulestext.Check(cfg, rulesFile))
			renames := rulestext.Check(cfg, deployed.FirestoreRules) != nil // then an app's files have other names
			if rules != "" && !renames {
				err = errors.Join(err, hasAny(rules, string(rulesFile)))
			}
			if indexes != "" && !renames {
				err = errors.Join(err, hasIndexes(indexes, indexesFile))
			}
			if renames && rules+indexes != "" {
				fmt.Fprintln(cmd.OutOrStdout(), "the files are not compared with ours, because collections are renamed")
			}
			wrong := config.Each(err)
			for _, w := range wrong {
				fmt.Fprintln(cmd.OutOrStdout(), w)
			}
			if len(wrong) > 0 {
				return command.ErrReported
			}
			fmt.Fprintln(cmd.OutOrStdout(), "OK")
			for _, s := range cfg.Settings() {
				if s.Value != "" && s.Default != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%s=%s    (default %s)\n", s.Variable, s.Shown(), s.Default)
				} else if s.Value != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%s=%s\n", s.Variable, s.Shown())
				}
			}
			return sayBudget(cmd.OutOrStdout(), cfg, indexesFile)
		},
	}
	cmd.Flags().StringVar(&indexes, "indexes", "", "check this `file` instead of the built-in file")
	cmd.Flags().StringVar(&rules, "rules", "", "check this `file` instead of the built-in file")
	return cmd
}

// hasAny returns an error if rules have none of ours, standard or feed-only, with a pace or without.
func hasAny(name, rules string) error {
	for _, ours := range variants() {
		if hasRules(rules, ours) {
			return nil
		}
	}
	return fmt.Errorf("%s lacks of our rules: %s", name, lacks(rules, deployed.FirestoreRules))
}

// hasIndexes returns an error with the entries of our indexes that a file lacks.
func hasIndexes(name string, file []byte) error {
	theirs, err := parseIndexes(file)
	if err != nil {
		return err
	}
	ours, err := parseIndexes(deployed.FirestoreIndexes)
	if err != nil {
		return err
	}
	if missing := theirs.lacking(ours); len(missing) > 0 {
		return fmt.Errorf("%s lacks of our indexes:\n%s", name, joined(missing))
	}
	return nil
}

// sayBudget prints how much of Firestore's limits a full relation uses, with long texts in its copied fields.
func sayBudget(out io.Writer, cfg schema.Config, indexes []byte) error {
	entries, size, err := config.RelationEntries(cfg, indexes)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "a full relation: %s of 40,000 index entries, %.1f of %d MiB of them; its copied fields may have %s entries and %d KiB\n",
		console.Grouped(entries), float64(size)/(1<<20), config.MaxIndexEntriesBytes>>20, console.Grouped(schema.MaxCopiedEntries), schema.MaxCopiedBytes>>10)
	return nil
}

// fileOr returns the content of a file, or the given content if the name is empty.
func fileOr(name string, without []byte) ([]byte, error) {
	if name == "" {
		return without, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, command.Usage(err)
	}
	return text, nil
}
