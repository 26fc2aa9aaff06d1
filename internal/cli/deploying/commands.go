package deploying

import "github.com/spf13/cobra"

// Commands are those of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newConfig(), newDeploy(), newDeployPlan(), newUndeploy()}
}
