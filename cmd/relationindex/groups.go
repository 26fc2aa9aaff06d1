package main

import (
	"slices"

	"github.com/spf13/cobra"
)

// groups are the headings of --help, each with the names of its commands.
var groups = []struct {
	heading string
	names   []string
}{
	{"Try it on this machine:", []string{"demo", "dev", "functions"}},
	{"Move data:", []string{"survey", "import", "export", "fill-posts"}},
	{"Operate:", []string{"verify", "repair", "verify-timelines", "repair-timelines", "jobs", "trace", "feed", "purge", "horizon", "brake"}},
	{"Deploy:", []string{"config", "cost", "deploy", "undeploy"}},
}

// group puts each command below its heading.
func group(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.heading, Title: g.heading})
		for _, cmd := range root.Commands() {
			if slices.Contains(g.names, cmd.Name()) {
				cmd.GroupID = g.heading
			}
		}
	}
}
