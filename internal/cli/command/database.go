package command

import (
	"context"
	"fmt"
	"net"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/assembly"
	"example.com/relationindex/chunker"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/runtime/configured"
	"example.com/relationindex/internal/runtime/wire"
)

// Database is an open target.
type Database struct {
	Config config.Functions
	Stored configured.Configuration // by the functions; the zero value: never
	Known  bool                     // Config is what the functions run with: nothing was let differ
	Client *firestore.Client
	Real   bool // not an emulator's
}

// With opens the database of the target, calls work, and closes the database.
func (t *Target) With(ctx context.Context, work func(*Database) error) error {
	db, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer db.Client.Close()
	return work(db)
}

// Judged is the end of a check of a delivery that ended in err: [ErrReported], if the delivery has a gap.
// Standard error names it.
func (db *Database) Judged(delivery string, err error) error {
	if _, gap := db.Stored.Gaps[delivery]; gap && err == nil {
		return ErrReported
	}
	return err
}

// WithIndex is [Target.With] for work on the index.
func (t *Target) WithIndex(ctx context.Context, work func(*assembly.System) error) error {
	return t.With(ctx, func(db *Database) error {
		index, err := db.Index(ctx)
		if err != nil {
			return err
		}
		return work(index)
	})
}

// NeedsRelations returns an error if there is no delivery by relations.
func NeedsRelations(index *assembly.System) error {
	if index.DB.Options.RelationsOff {
		return Usagef("RELATIONINDEX_RELATIONS_OFF=true: this command is for relations. For timelines, run 'relationindex verify-timelines' and 'relationindex repair-timelines'")
	}
	return nil
}

// Index returns the index of the database, with the options that the functions have. It
// returns an error if these lack the horizon that is stored.
func (db *Database) Index(ctx context.Context) (*assembly.System, error) {
	index, err := assembly.New(db.Client, chunker.New(db.Client, chunker.Options{}), functions.RelationsOptions(db.Config))
	if err != nil {
		return nil, err
	}
	index.DB.SetIdleSince(db.Stored.IdleSince)
	return index, index.DB.CheckHorizon(ctx)
}

// open connects to the target, and says on standard error which it is. A real
// project has to be named by the flag, and --live to write to it, so that nobody
// does because of what a shell had set or had not.
//
// It costs a read, of the functions' configuration.
func (t *Target) open(ctx context.Context) (*Database, error) {
	env, err := config.CommandEnvironment()
	if err != nil {
		return nil, Usage(err)
	}
	cfg, err := env.LoadTarget()
	if err != nil {
		return nil, err
	}
	if cfg.Project, err = t.resolve(cfg); err != nil {
		return nil, Usage(err)
	}
	where := "production"
	var guards []wire.Interceptor
	if cfg.EmulatorHost != "" {
		where = "emulator " + cfg.EmulatorHost
		g, err := t.Guards(t.Bulk)
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
	db := &Database{Client: client, Real: cfg.EmulatorHost == ""}
	if db.Config, db.Stored, err = t.configure(ctx, client, env); err != nil {
		_ = client.Close() // the error is the reason
		return nil, err
	}
	db.Config.Project, db.Known = cfg.Project, db.Stored.Exists() && len(t.differ) == 0
	for _, lacking := range db.Stored.Lacking() {
		fmt.Fprintf(t.cmd.ErrOrStderr(), "gap: %s. Run '%s'\n", lacking, t.Hint("repair", true))
	}
	return db, nil
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
