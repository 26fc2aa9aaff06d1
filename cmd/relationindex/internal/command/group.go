package command

import "github.com/spf13/cobra"

// Group makes cmd a command that only groups others. Without a valid subcommand, cmd
// returns an error that names the subcommands.
func Group(cmd *cobra.Command, what string) *cobra.Command {
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) > 0 {
			return Usagef("%s %q: no such command; use %s", cmd.Name(), args[0], what)
		}
		return Usagef("%s: the command is incomplete; use %s", cmd.Name(), what)
	}
	return cmd
}
