package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/relationindex/testkit/program"
)

// targeted are the commands that work on a database, as somebody types them, and
// whether they write.
func targeted(t *testing.T) map[string]bool {
	t.Helper()
	file := program.File(t, "rows", "a b\n")
	return map[string]bool{
		"feed --as u": false,
		"survey":      false,
		"export follows " + filepath.Join(t.TempDir(), "f.csv"): false,
		"export posts " + filepath.Join(t.TempDir(), "p.csv"):   false,
		"verify":               false,
		"verify --sample":      true,
		"brake":                false,
		"brake off":            true,
		"trace u":              false,
		"purge u":              false,
		"purge u --yes":        true,
		"repair --dry-run":     false,
		"fill-posts --dry-run": false,
		"fill-posts":           true,
		"repair-timelines":     true,
		"verify-timelines":     false,
		"horizon":              false,
		"horizon 0":            true,
		"jobs list":            false,
		"jobs show j":          false,
		"jobs wait j":          false,
		"repair":               true,
		"jobs retry j":         true,
		"jobs cancel j":        true,
		"import follows " + file + " --columns follower=1,followed=2":          true,
		"import posts " + file + " --columns author=1,createdAt=2,id=2":        true,
		"import follows " + file + " --columns follower=1,followed=2 --direct": true,
	}
}

// Each command asks package command for its database: it is refused before anything is asked, or it names the
// database that it asks. TestResolve of that package has all combinations of flags and variables.
func TestCommandsRejectUnintendedDatabase(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none")) // production is asked for in vain
	const production = "project real-f, database (default), production\n"
	for command, writes := range targeted(t) {
		for _, shell := range []struct{ emulator, flags, refused string }{
			{"", "", "--project"},
			{"", "--project demo-f", "demo-"},
			{"", "--project real-f", map[bool]string{true: "--live"}[writes]},
			{"", "--project real-f --live", ""},
			{running.FirestoreHost, "", "begin with demo-"}, // of the variable
			{running.FirestoreHost, "--project real-f", "begin with demo-"},
			{running.FirestoreHost, "--project demo-f --live", "--live"},
		} {
			if live := strings.Contains(shell.flags, "--live"); live && !writes && command != "repair --dry-run" {
				continue // there is no such flag
			}
			t.Setenv("FIRESTORE_EMULATOR_HOST", shell.emulator)
			t.Setenv("GOOGLE_CLOUD_PROJECT", "real-v")
			out := call(t, strings.Fields(command+" "+shell.flags)...)
			if shell.refused != "" {
				if out.Code != exitUsage || !strings.Contains(out.Stderr, shell.refused) || out.Stdout != "" {
					t.Errorf("%s with %+v: %+v", command, shell, out)
				}
				continue
			}
			if asked := strings.Contains(out.Stderr, "credentials") || strings.Contains(out.Stderr, "no such file"); out.Code != exitFailed || !strings.HasPrefix(out.Stderr, production) || !asked {
				t.Errorf("%s with %+v: %+v, want it to begin with %q and to ask", command, shell, out, production)
			}
		}
	}
}

// plain are the commands that neither derive nor judge.
var plain = []string{"survey", "brake", "export", "jobs list", "jobs show", "jobs wait", "jobs cancel"}

// Each command takes the functions' variables. If the shell has another value of one, it is refused, and names the
// variable; one that neither derives nor judges only says so. TestProblem of package command has all
// variables.
func TestCommandsCompareVariables(t *testing.T) {
	const project = "demo-configured-all"
	const where = "project " + project + ", database (default), emulator "
	t.Setenv("FIRESTORE_EMULATOR_HOST", running.FirestoreHost)
	if err := started(t, client(t, project), nil, []string{"RELATIONINDEX_CAPACITY=20", "RELATIONINDEX_FEEDS=relations,items"}); err != nil {
		t.Fatal(err)
	}
	for command := range targeted(t) {
		run := func(variable, value string) program.Outcome {
			t.Setenv(variable, value)
			defer t.Setenv(variable, "")
			return call(t, append(strings.Fields(command), "--project", project)...)
		}
		if out := run("RELATIONINDEX_CAPACITY", ""); out.Code == exitUsage || !strings.HasPrefix(out.Stderr, where+running.FirestoreHost+"\n") || strings.Contains(out.Stderr, "note: ") {
			t.Errorf("%s, without variables: %+v", command, out)
		}
		isPlain := slices.ContainsFunc(plain, func(p string) bool { return strings.HasPrefix(command, p) })
		for _, v := range [][3]string{{"RELATIONINDEX_CAPACITY", "20", "30"}, {"RELATIONINDEX_FEEDS", "relations,items", "relations,buckets"}} {
			differs := v[0] + ": the functions run with " + v[1] + ", here it is " + v[2]
			if out := run(v[0], v[2]); !strings.Contains(out.Stderr, differs) || strings.Contains(out.Stderr, "note: "+differs) != isPlain || (out.Code == exitUsage) == isPlain {
				t.Errorf("%s with another %s: %+v", command, v[0], out)
			}
		}
	}
}

// No command that works on a database is missing above.
func TestEveryCommandWithATargetIsInTheTable(t *testing.T) {
	var known []string
	for command := range targeted(t) {
		cmd, _, err := newRoot().Find(strings.Fields(command))
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, cmd.CommandPath())
	}
	others := []string{"dev", "deploy", "undeploy"} // their project is none of a database that is there
	var look func(*cobra.Command)
	look = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup("project") != nil && !slices.Contains(others, cmd.Name()) && !slices.Contains(known, cmd.CommandPath()) {
			t.Errorf("%s is not in the table", cmd.CommandPath())
		}
		for _, child := range cmd.Commands() {
			look(child)
		}
	}
	look(newRoot())
}
