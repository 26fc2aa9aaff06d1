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
relation uses. If anything is wrong, it prints everything that is wrong, and exits with 1.`,
		Example: `  relationindex config check
  RELATIONINDEX_ENV=blue.env relationindex config check
  relationindex config check --indexes firestore.indexes.json --rules firestore.rules`,
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
			env, err := config.CommandEnvironment()
			if err != nil {
				for _, wrong := range config.Each(err) {
					fmt.Fprintln(cmd.OutOrStdout(), wrong)
				}
				return command.ErrReported
			}
			cfg, err := env.Load(indexesFile)
			wrong := config.Each(errors.Join(err, config.CheckRules(cfg, rulesFile)))
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
