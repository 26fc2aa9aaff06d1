package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"example.com/relationindex/cmd/relationindex/internal/command"
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

// Each command, with and without the emulator's variable, with projects that are
// real and that cannot be, with and without --live: either it is refused before
// anything is asked, or it names the database that it asks.
func TestCommandsRejectUnintendedDatabase(t *testing.T) {
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(t.TempDir(), "none")) // production is asked for in vain
	t.Setenv("RELATIONINDEX_FEEDS", "relations,items")                             // repair-timelines needs it
	shells := []struct {
		emulator bool
		variable string // GOOGLE_CLOUD_PROJECT
	}{{true, ""}, {true, "real-v"}, {false, ""}, {false, "real-v"}, {false, "demo-v"}}
	for command, writes := range targeted(t) {
		for _, shell := range shells {
			t.Setenv("FIRESTORE_EMULATOR_HOST", map[bool]string{true: running.FirestoreHost}[shell.emulator])
			t.Setenv("GOOGLE_CLOUD_PROJECT", shell.variable)
			for _, flag := range []string{"", "real-f", "demo-f"} {
				for _, live := range []bool{false, true} {
					if live && !writes && command != "repair --dry-run" {
						continue // there is no such flag
					}
					args := strings.Fields(command)
					if flag != "" {
						args = append(args, "--project", flag)
					}
					if live {
						args = append(args, "--live")
					}
					if !slices.ContainsFunc(plain, func(p string) bool { return strings.HasPrefix(command, p) }) {
						args = append(args, "--differ", "RELATIONINDEX_FEEDS") // the functions of dev have none
					}
					out := call(t, args...)
					where, refused := "", ""
					switch {
					case shell.emulator && live:
						refused = "--live"
					case shell.emulator && flag == "real-f", shell.emulator && flag == "" && shell.variable == "real-v":
						refused = "begin with demo-"
					case shell.emulator:
						where = fmt.Sprintf("project %s, database (default), emulator %s\n", orDemo(flag), running.FirestoreHost)
					case flag == "":
						refused = "--project"
					case strings.HasPrefix(flag, "demo-"):
						refused = "demo-"
					case writes && !live:
						refused = "--live"
					default:
						where = "project real-f, database (default), production\n"
					}
					what := fmt.Sprintf("%q with %+v", args, shell)
					if refused != "" {
						if out.Code != exitUsage || !strings.Contains(out.Stderr, refused) || out.Stdout != "" {
							t.Errorf("%s answered, want it refused for %s: %+v", what, refused, out)
						}
						continue
					}
					if out.Code == exitUsage || !strings.HasPrefix(out.Stderr, where) {
						t.Errorf("%s: %+v, want it to begin with %q", what, out, where)
					}
					if asked := strings.Contains(out.Stderr, "credentials") || strings.Contains(out.Stderr, "no such file"); asked == shell.emulator {
						t.Errorf("%s asked production: %v: %+v", what, asked, out)
					}
				}
			}
		}
	}
}

// orDemo is the project of commands that are given none, beside an emulator.
func orDemo(project string) string {
	if project == "" {
		return command.DemoProject
	}
	return project
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

func TestDevRejectsRealProject(t *testing.T) {
	call(t, "dev", "--project", "real-f").Want(t, exitUsage, "begin with demo-")
}
