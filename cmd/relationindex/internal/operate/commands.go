package operate

import (
	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
)

// Commands returns the commands of this package. guards is for clients of an emulator.
func Commands(guards command.Guards) []*cobra.Command {
	return []*cobra.Command{newSurvey(guards), newVerify(guards), newRepair(guards), newFillPosts(guards), newRepairTimelines(guards), newVerifyTimelines(guards), newTrace(guards), newPurge(guards), newImport(guards), newExport(guards), newFeed(guards), newHorizon(guards), newBrake(guards)}
}
