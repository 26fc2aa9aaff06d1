package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"
	"github.com/spf13/cobra"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/schema"
)

// AddDiffer adds the flag --differ.
func AddDiffer(cmd *cobra.Command, names *[]string) {
	cmd.Flags().StringSliceVar(names, "differ", nil, "`variables` whose values may differ from the functions' values, separated by commas")
}

// configure returns the command's configuration: the variables that functions have stored, and those of env that
// are not stored. If a variable has another value in env, configure returns an error that names both values,
// unless --differ names the variable. Then the command's value counts. In a database in which functions never
// started, env alone counts.
func (t *Target) configure(ctx context.Context, client *firestore.Client, env config.Environment) (schema.Config, configured.Configuration, error) {
	fail := func(err error) (schema.Config, configured.Configuration, error) {
		return schema.Config{}, configured.Configuration{}, err
	}
	if err := config.CheckNames(t.differ); err != nil {
		return fail(Usagef("--differ: %w", err))
	}
	stored, err := configured.Read(ctx, client)
	if err != nil && !t.Plain {
		return fail(fmt.Errorf("%w: the next function that starts writes the document again", err))
	}
	if stored.Exists() && err == nil {
		// Stored values do not complete the variables that --differ names.
		variables := map[string]string{}
		for name, value := range stored.Variables {
			if !slices.Contains(t.differ, name) {
				variables[name] = value
			}
		}
		merged, differ, err := env.Among(variables)
		if err != nil && !t.Plain {
			return fail(err)
		}
		if problem := t.problem(differ); problem != nil {
			return fail(problem)
		}
		if err == nil {
			env = merged
		}
	}
	cfg, err := env.LoadAnyProject()
	return cfg, stored, err
}

// problem returns an error that names the differing variables, or nil if the command may continue.
// For a plain command, problem prints a note and returns nil.
func (t *Target) problem(differ []config.Difference) error {
	var named, lines []string
	for _, d := range differ {
		if d.Stored == config.Decides && !slices.Contains(t.differ, d.Variable) {
			named, lines = append(named, d.Variable), append(lines, d.String())
		}
	}
	switch {
	case len(named) == 0:
		return nil
	case t.Plain:
		fmt.Fprintf(t.cmd.ErrOrStderr(), "note: %s\n", strings.Join(lines, "\nnote: "))
		return nil
	default:
		return Usagef(`the functions run with other values, and this command would undo their work:
%s
To use the values of the functions, unset these variables in the shell and in %s.
To change the values of the functions, deploy the functions with your values first.
To use your values for this command only, add --differ %s`, strings.Join(lines, "\n"), envfile.EnvFile, strings.Join(named, ","))
	}
}
