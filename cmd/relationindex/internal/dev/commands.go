package dev

import "github.com/spf13/cobra"

// All returns the commands of this package.
func All() []*cobra.Command { return []*cobra.Command{newDev(), newDemo(), newFunctions()} }
