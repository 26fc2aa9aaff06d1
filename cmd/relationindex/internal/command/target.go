package command

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// DemoProject is the project of dev and demo. Its name can never mean a real one.
const DemoProject = "demo-relationindex"

// DemoPrefix begins the name of a project that can never mean a real one.
const DemoPrefix = "demo-"

// Guards returns an interceptor for a client of an emulator. It rejects requests that
// production would reject; with bulk it ignores the size of commits. The main package
// passes it in, because packages that work on production import no emulator.
type Guards func(bulk bool) (wire.Interceptor, error)

// Target is the database that a command works on.
type Target struct {
	Guards Guards // called only where the target is an emulator
	Reads  bool   // the command writes nothing: production needs no --live
	Bulk   bool   // the command writes much: the emulator's guards ignore the size of each commit
	Brings bool   // the command brings posts to readers: while the brake is on, it needs --despite-brake
	Plain  bool   // the command neither derives nor judges documents: its variables may differ from the functions'

	cmd     *cobra.Command
	project string   // of the flag
	live    bool     // of the flag
	despite bool     // of the flag
	differ  []string // of the flag
}

// AddFlags adds --project. It also adds --live to a command that may write, --despite-brake to a command that brings
// posts, and --differ to a command that is not plain.
func (t *Target) AddFlags(cmd *cobra.Command) {
	t.cmd = cmd
	cmd.Flags().StringVar(&t.project, "project", "",
		"the database's project; with FIRESTORE_EMULATOR_HOST, the default is GOOGLE_CLOUD_PROJECT or "+DemoProject)
	if !t.Plain {
		AddDiffer(cmd, &t.differ)
	}
	if t.Brings {
		cmd.Flags().BoolVar(&t.despite, "despite-brake", false, "run although the brake is on, and bring posts that the brake delays")
	}
	if !t.Reads {
		cmd.Flags().BoolVar(&t.live, "live", false, "write to production; needs --project, and is rejected while FIRESTORE_EMULATOR_HOST is set")
	}
}

// TargetHelp ends the help of every command that has a target.
const TargetHelp = `

If FIRESTORE_EMULATOR_HOST is set, as dev prints it, the command uses that emulator, and
the project's name must begin with demo-. Otherwise the command uses the real database
of --project, with the application default credentials; a command that writes also
needs --live. Standard error names the database. RELATIONINDEX_DATABASE selects a
database other than (default). Functions store the other RELATIONINDEX_ variables in
the database, and the command takes the stored values. If none are stored, yours apply.
If your shell or relationindex.env has another value, the command names the variable
and does nothing, unless --differ names the variable too. A command without the flag
--differ only prints a note.`

// resolve returns the project. It returns an error if flags and variables do not agree on a database.
func (t *Target) resolve(cfg schema.Config) (string, error) {
	if cfg.EmulatorHost != "" {
		project := cmp.Or(t.project, cfg.Project, DemoProject)
		switch {
		case t.live:
			return "", fmt.Errorf("--live is for production, but FIRESTORE_EMULATOR_HOST=%s is set: unset the variable, or leave out --live", cfg.EmulatorHost)
		case !strings.HasPrefix(project, DemoPrefix):
			return "", fmt.Errorf("project %q: must begin with %s while FIRESTORE_EMULATOR_HOST=%s is set. To use a database in production, unset the variable", project, DemoPrefix, cfg.EmulatorHost)
		}
		return project, nil
	}
	switch {
	case t.project == "":
		return "", errors.New("no database is selected: set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it, or name a real project with --project")
	case strings.HasPrefix(t.project, DemoPrefix):
		return "", fmt.Errorf("project %q: a project id that begins with %s is only for the emulator: set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it, or name a real project with --project", t.project, DemoPrefix)
	case !t.Reads && !t.live:
		return "", fmt.Errorf("this command writes to project %q in production: add --live to confirm, or set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it", t.project)
	}
	return t.project, nil
}

// Hint returns the text of another command on the same database, ready to type. writes
// says whether that command writes.
func (t *Target) Hint(command string, writes bool) string {
	command = "relationindex " + command
	if t.project != "" {
		command += " --project " + Quoted(t.project)
		if writes && !strings.HasPrefix(t.project, DemoPrefix) {
			command += " --live"
		}
	}
	return command
}
