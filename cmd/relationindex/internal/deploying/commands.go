package deploying

import "github.com/spf13/cobra"

// Commands returns the commands of this package.
func Commands() []*cobra.Command {
	return []*cobra.Command{newConfig(), newDeploy(), newDeployCheck(), newDeployPlan(), newUndeploy()}
}
