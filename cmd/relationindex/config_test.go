package main

import (
	"os"
	"strings"
	"testing"

	"example.com/relationindex/testkit/program"
)

// docs/fields.md has what it prints for the fields of its example.
func TestConfigCheckOnThePageOfFields(t *testing.T) {
	page, err := os.ReadFile("../../docs/fields.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "$ RELATIONINDEX_COPIED_FIELDS=title,photo GOOGLE_CLOUD_PROJECT=demo-a relationindex config check\n")
	want, _, found := strings.Cut(after, "```")
	out := program.Run(t, []string{"RELATIONINDEX_COPIED_FIELDS=title,photo", "GOOGLE_CLOUD_PROJECT=demo-a"}, "config", "check")
	if out.Want(t, exitOK); !found || out.Stdout != want {
		t.Errorf("it prints\n%s\nand the page has\n%s", out.Stdout, want)
	}
}
