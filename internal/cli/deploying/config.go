package deploying

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	deployed "example.com/relationindex"
	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/runtime/config"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration",
		Long: `config looks at the variables that configure the functions: docs/configuration.md
lists them. It connects to nothing.`,
		Example: `  relationindex config check`,
	}
	cmd.AddCommand(newConfigCheck())
	return command.Group(cmd, "check")
}

func newConfigCheck() *cobra.Command {
	var indexes, rules string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check variables, and the files of indexes and rules against them",
		Long: `check does what a function does when it starts: it reads the variables and holds them
against their rules, each other, and firestore.indexes.json. It also looks whether
firestore.rules has the collections that they rename: for the names alone, which is no
proof. It prints OK and what is not as by default, or everything that is wrong, and
then exits with 1.`,
		Example: `  relationindex config check
  (set -ae; . ./production.env; relationindex config check)
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
			cfg, err := config.ProcessEnvironment().Load(indexesFile)
			wrong := config.Each(errors.Join(err, cfg.CheckRules(rulesFile)))
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
			return nil
		},
	}
	cmd.Flags().StringVar(&indexes, "indexes", "", "`file` to check against; without it the one in this program")
	cmd.Flags().StringVar(&rules, "rules", "", "`file` to check against; without it the one in this program")
	return cmd
}

// fileOr is the content of a file, or what there is without one.
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
