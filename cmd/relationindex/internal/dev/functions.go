package dev

import (
	"github.com/spf13/cobra"

	"example.com/relationindex/local/processes"
)

func newFunctions() *cobra.Command {
	var port int
	cmd := &cobra.Command{
		Use:   "functions --port N",
		Short: "Serve the functions as production does; dev starts this command",
		Long: `functions serves the functions over HTTP on 127.0.0.1, each at the path of its name, from the
same registrations as production. dev and demo start it as a child.

The environment configures it: GOOGLE_CLOUD_PROJECT, FIRESTORE_EMULATOR_HOST, and
the RELATIONINDEX_ variables.`,
		Example: `  GOOGLE_CLOUD_PROJECT=demo-relationindex FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 \
    relationindex functions --port 8082`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return processes.Serve(cmd.Context(), port)
		},
	}
	cmd.Flags().IntVar(&port, "port", 0, "port to listen on, 1 to 65535")
	_ = cmd.MarkFlagRequired("port") // it exists
	return cmd
}
