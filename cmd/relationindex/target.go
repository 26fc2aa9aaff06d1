package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/relations"
)

// demoProject is the project of dev and demo. Its name can never mean a real one.
const demoProject = "demo-relationindex"

// realNever begins the name of a project that can never mean a real one.
const realNever = "demo-"

// target is the database that a command works on.
type target struct {
	reads bool // the command writes nothing: production needs no --live
	bulk  bool // it writes so much that the size of each commit is not looked at on the emulator

	cmd     *cobra.Command
	project string // of the flag
	live    bool   // of the flag
}

// addFlag adds --project, and --live to a command that may write.
func (t *target) addFlag(cmd *cobra.Command) {
	t.cmd = cmd
	cmd.Flags().StringVar(&t.project, "project", "",
		"project of the database; with FIRESTORE_EMULATOR_HOST it defaults to GOOGLE_CLOUD_PROJECT or "+demoProject)
	if !t.reads {
		cmd.Flags().BoolVar(&t.live, "live", false, "write to production; needs --project, and FIRESTORE_EMULATOR_HOST not to be set")
	}
}

// targetHelp ends the help of every command that has a target.
const targetHelp = `

The database is that of FIRESTORE_EMULATOR_HOST, as dev prints it, and the project's
name has to begin with demo- then. Without that variable it is the real one of
--project, with the application default credentials, and what writes needs --live
too. Standard error says which it is. RELATIONINDEX_DATABASE names one that is not
(default). The collections, and the fields that relations copy, are those of the
RELATIONINDEX_ variables that the functions were given.`

// database is an open target.
type database struct {
	cfg    config.Functions
	client *firestore.Client
}

// with calls work with the database of the target.
func (t *target) with(ctx context.Context, work func(*database) error) error {
	db, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer db.client.Close()
	return work(db)
}

// withIndex calls work with the index of the target.
func (t *target) withIndex(ctx context.Context, work func(*relations.Index) error) error {
	return t.with(ctx, func(db *database) error {
		index, err := indexOf(db.client, db.cfg)
		if err != nil {
			return err
		}
		return work(index)
	})
}

// open connects to the target, and says on standard error which it is. A real
// project has to be named by the flag, and --live to write to it, so that nobody
// does because of what a shell had set or had not.
func (t *target) open(ctx context.Context) (*database, error) {
	cfg, err := config.LoadCLI()
	if err != nil {
		return nil, err
	}
	if cfg.Project, err = t.resolve(cfg); err != nil {
		return nil, usageError{err}
	}
	where := "production"
	var guards []wire.Interceptor
	if cfg.EmulatorHost != "" {
		where = "emulator " + cfg.EmulatorHost
		g, err := local.Guards(t.bulk, nil)
		if err != nil {
			return nil, err
		}
		guards = append(guards, g)
	}
	fmt.Fprintf(t.cmd.ErrOrStderr(), "project %s, database %s, %s\n", cfg.Project, cfg.DatabaseID(), where)
	if cfg.EmulatorHost != "" {
		if err := reach(ctx, cfg.EmulatorHost); err != nil {
			return nil, err
		}
	}
	client, err := wire.OpenDatabase(ctx, cfg.Project, cfg.Database, cfg.EmulatorHost, guards...)
	if err != nil {
		return nil, err
	}
	return &database{cfg: cfg, client: client}, nil
}

// resolve is the project, if flags and variables agree on which database is meant.
func (t *target) resolve(cfg config.Functions) (string, error) {
	if cfg.EmulatorHost != "" {
		project := cmp.Or(t.project, cfg.Project, demoProject)
		switch {
		case t.live:
			return "", fmt.Errorf("--live is for production, and FIRESTORE_EMULATOR_HOST=%s is set: unset it, or leave out --live", cfg.EmulatorHost)
		case !strings.HasPrefix(project, realNever):
			return "", fmt.Errorf("project %q: must begin with %s while FIRESTORE_EMULATOR_HOST=%s is set. If production is meant, unset it", project, realNever, cfg.EmulatorHost)
		}
		return project, nil
	}
	switch {
	case t.project == "":
		return "", errors.New("which database? Set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it, or name a real one with --project")
	case strings.HasPrefix(t.project, realNever):
		return "", fmt.Errorf("project %q: one that begins with %s is an emulator's. Set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it", t.project, realNever)
	case !t.reads && !t.live:
		return "", fmt.Errorf("this writes to project %q in production: add --live if you mean that, or set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it", t.project)
	}
	return t.project, nil
}

// hint is another command on the same database, as somebody types it; writes says
// whether that one writes.
func (t *target) hint(command string, writes bool) string {
	command = "relationindex " + command
	if t.project != "" {
		command += " --project " + quoted(t.project)
		if writes && !strings.HasPrefix(t.project, realNever) {
			command += " --live"
		}
	}
	return command
}

// reach finds out now whether an emulator is there: a client would try for minutes.
func reach(ctx context.Context, host string) error {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return fmt.Errorf("no Firestore emulator answers at FIRESTORE_EMULATOR_HOST=%s (is 'relationindex dev' still running?): %w", host, err)
	}
	return conn.Close()
}

// indexOf is the index of a database as the functions see it.
func indexOf(client *firestore.Client, cfg config.Functions) (*relations.Index, error) {
	return relations.New(client, chunker.New(client, chunker.Options{}), cfg.RelationsOptions())
}
