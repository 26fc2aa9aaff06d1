package operate

import (
	"github.com/spf13/cobra"

	"example.com/relationindex/internal/cli/command"
)

// Commands are those of this package. guards stand before the database if it is an
// emulator's.
func Commands(guards command.Guards) []*cobra.Command {
	return []*cobra.Command{newVerify(guards), newRepair(guards), newTrace(guards), newPurge(guards), newImport(guards), newFeed(guards)}
}
