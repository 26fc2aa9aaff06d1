package main

import (
	"fmt"
	"maps"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	deployed "example.com/relationindex"
	"example.com/relationindex/internal/config"
)

func newConfig() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check a configuration, and print rules and indexes for it",
		Long: `config looks at the variables that configure the functions: docs/configuration.md
lists them. It connects to nothing.

The variables are this shell's or, with --env, those that it names and no others.`,
		Example: `  relationindex config check --env production.env
  relationindex config rules --prefix "" --prefix blue_`,
	}
	var env []string
	cmd.PersistentFlags().StringArrayVar(&env, "env", nil, "a `file` of NAME=value lines, or one NAME=value; again for more")
	cmd.AddCommand(newConfigCheck(&env),
		newConfigRender(&env, "rules", "firestore.rules", deployed.FirestoreRules, config.Functions.Rules, config.MergeRules),
		newConfigRender(&env, "indexes", "firestore.indexes.json", deployed.FirestoreIndexes, config.Functions.Indexes, config.MergeIndexes))
	return group(cmd, "check, rules or indexes")
}

func newConfigCheck(env *[]string) *cobra.Command {
	var indexes, rules string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check variables, and the files of indexes and rules against them",
		Long: `check does what a function does when it starts: it reads the variables and holds them
against their rules, each other, and firestore.indexes.json. It also looks whether
firestore.rules can be rendered for them. It prints OK and what is not as by default,
or everything that is wrong, and then exits with 1.`,
		Example: `  relationindex config check
  relationindex config check --env production.env --env RELATIONINDEX_CAPACITY=500
  relationindex config check --indexes firestore.indexes.json --rules firestore.rules`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			variables, err := environmentOf(*env)
			if err != nil {
				return err
			}
			indexesFile, err := fileOr(indexes, deployed.FirestoreIndexes)
			if err != nil {
				return err
			}
			rulesFile, err := fileOr(rules, deployed.FirestoreRules)
			if err != nil {
				return err
			}
			cfg, err := variables.Load(indexesFile)
			wrong := config.Each(err)
			if err == nil { // else it would say the same of names again
				_, err = cfg.Rules(rulesFile)
				wrong = config.Each(err)
			}
			for _, w := range wrong {
				fmt.Fprintln(cmd.OutOrStdout(), w)
			}
			if len(wrong) > 0 {
				return errReported
			}
			fmt.Fprintln(cmd.OutOrStdout(), "OK")
			for _, s := range cfg.Settings() {
				if s.Value != "" && s.Default != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%s=%s    (default %s)\n", s.Variable, s.Value, s.Default)
				} else if s.Value != "" {
					fmt.Fprintf(cmd.OutOrStdout(), "%s=%s\n", s.Variable, s.Value)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&indexes, "indexes", "", "`file` to check against; without it the one in this program")
	cmd.Flags().StringVar(&rules, "rules", "", "`file` to check against; without it the one in this program")
	return cmd
}

// newConfigRender prints one of the files at the root for the configured names.
func newConfigRender(env *[]string, name, file string, embedded []byte,
	render func(config.Functions, []byte) ([]byte, error), merge func(...[]byte) ([]byte, error),
) *cobra.Command {
	var from string
	var prefixes []string
	cmd := &cobra.Command{
		Use:   name,
		Short: "Print " + file + " with the configured names of collections",
		Long: name + " prints " + file + ` with the names of collections that the variables say.
With --prefix, once for each copy of the system that shares the database, it prints
one file for all of them: the rest of the names is that of the variables.

Print it to another file than the one that is read.`,
		Example: "  relationindex config " + name + "\n  relationindex config " + name + ` --prefix "" --prefix blue_`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			variables, err := environmentOf(*env)
			if err != nil {
				return err
			}
			cfg, err := variables.LoadAnyProject()
			if err != nil {
				return err
			}
			text, err := fileOr(from, embedded)
			if err != nil {
				return err
			}
			if len(prefixes) == 0 {
				prefixes = []string{cfg.Prefix}
			}
			var copies [][]byte
			for _, prefix := range prefixes {
				variables["RELATIONINDEX_PREFIX"] = prefix
				cfg, err := variables.LoadAnyProject() // the prefix is checked too
				if err != nil {
					return err
				}
				rendered, err := render(cfg, text)
				if err != nil {
					return err
				}
				copies = append(copies, rendered)
			}
			if len(copies) > 1 {
				if copies[0], err = merge(copies...); err != nil {
					return err
				}
			}
			_, err = cmd.OutOrStdout().Write(copies[0])
			return err
		},
	}
	cmd.Flags().StringVar(&from, "file", "", "`file` to read; without it the one in this program")
	cmd.Flags().StringArrayVar(&prefixes, "prefix", nil, "`prefix` of a copy, in place of RELATIONINDEX_PREFIX; again for more")
	return cmd
}

// assignment is a NAME=value, which is no file.
var assignment = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*=`)

// environmentOf is what the flags --env say, or this shell's.
func environmentOf(flags []string) (config.Environment, error) {
	if len(flags) == 0 {
		return config.ProcessEnvironment(), nil
	}
	env := config.Environment{}
	for _, f := range flags {
		if assignment.MatchString(f) {
			maps.Copy(env, config.EnvironmentOf([]string{f}))
			continue
		}
		file, err := os.Open(f)
		if err != nil {
			return nil, usageError{fmt.Errorf("--env: %w", err)}
		}
		defer file.Close()
		read, err := config.ReadEnvironment(file)
		if err != nil {
			return nil, usageError{fmt.Errorf("--env %s: %w", f, err)}
		}
		maps.Copy(env, read)
	}
	return env, nil
}

// fileOr is the content of a file, or what there is without one.
func fileOr(name string, without []byte) ([]byte, error) {
	if name == "" {
		return without, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usageError{err}
	}
	return text, nil
}
