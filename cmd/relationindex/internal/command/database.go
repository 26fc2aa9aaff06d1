package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/configured"
	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// Database is an open target.
type Database struct {
	Config schema.Config
	Stored configured.Configuration // stored by the functions; the zero value: never stored
	Known  bool                     // Config is the functions' configuration: they have stored one, and --differ names no variable
	Client *firestore.Client
	Real   bool // not of an emulator

	writes bool // the command may write
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

// Judged returns the result of a check of a delivery: err, the error of the check. If err is nil and the delivery
// has a gap, it returns [ErrReported]. Standard error names the gap.
func (db *Database) Judged(delivery string, err error) error {
	if _, gap := db.Stored.Gaps[delivery]; gap && err == nil {
		return ErrReported
	}
	return err
}

// WithIndex is like [Target.With], for work on the index.
func (t *Target) WithIndex(ctx context.Context, work func(*social.System) error) error {
	return t.With(ctx, func(db *Database) error {
		index, err := db.Index(ctx)
		if err != nil {
			return err
		}
		return work(index)
	})
}

// NeedsRelations returns an error if there is no delivery by relations.
func NeedsRelations(index *social.System) error {
	if !index.DB.Config.Relations() {
		return Usagef("RELATIONINDEX_FEEDS has no relations: this command is for them. For timelines, run 'relationindex verify-timelines' and 'relationindex repair-timelines'")
	}
	return nil
}

// Index returns the index of the database, with the functions' options. It returns an error if the options lack
// the stored horizon. For a command that writes, it also checks the functions' key of tombstones, which costs a
// read. Without this key, it returns an error, because the command could bring deleted accounts back.
func (db *Database) Index(ctx context.Context) (*social.System, error) {
	index, err := social.Open(db.Client, db.Config)
	if err != nil {
		return nil, err
	}
	index.DB.SetIdleSince(db.Stored.IdleSince)
	if err := index.DB.CheckHorizon(ctx); err != nil || !db.writes {
		return index, err
	}
	return index, db.withKey(index.Graph.CheckTombstoneKey(ctx))
}

// withKey adds the command that gets the key of tombstones to an error of the key.
func (db *Database) withKey(err error) error {
	if !db.Real || !errors.Is(err, followers.ErrNoKey) && !errors.Is(err, followers.ErrOtherKey) {
		return err
	}
	return fmt.Errorf("%w\nexport %s=\"$(gcloud secrets versions access %s --secret=%s --project=%s)\"", err,
		config.VariableTombstones, config.TombstoneVersion, config.TombstoneSecret(db.Config), Quoted(db.Config.Project))
}

// warn prints that a command may write to the wrong database, if functions have never started there. But the
// database may be right: an import comes before the first deployment.
func (db *Database) warn(stderr io.Writer) {
	if db.Real && db.writes && !db.Stored.Exists() {
		fmt.Fprintln(stderr, "functions have never started in this database: check --project and RELATIONINDEX_DATABASE")
	}
}

// open connects to the target, and prints its name on standard error. A real project
// requires the flag --project, and a write to it requires --live. So the variables of a
// shell alone never make a command write to production.
//
// open costs two reads, of the functions' configuration and of the brake.
func (t *Target) open(ctx context.Context) (*Database, error) {
	env, err := envfile.Environment()
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
	db := &Database{Client: client, Real: cfg.EmulatorHost == "", writes: !t.Reads}
	if db.Config, db.Stored, err = t.configure(ctx, client, env); err != nil {
		_ = client.Close() // the error is the reason
		return nil, err
	}
	db.Config.Project, db.Known = cfg.Project, db.Stored.Exists() && len(t.differ) == 0
	db.warn(t.cmd.ErrOrStderr())
	if err := t.heedBrake(ctx, db); err != nil {
		_ = client.Close() // the error is the reason
		return nil, err
	}
	for _, lacking := range db.Stored.Lacking() {
		fmt.Fprintf(t.cmd.ErrOrStderr(), "gap: %s. Run '%s'\n", lacking, t.Hint("repair", true))
	}
	return db, nil
}

// heedBrake prints that the brake is on: missing posts may wait for its end. It returns an error to a command that
// would bring these posts.
func (t *Target) heedBrake(ctx context.Context, db *Database) error {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{schema.BrakeDocument(db.Client)})
	if err != nil || !docs[0].Exists() || t.cmd.Name() == "brake" {
		return nil //nolint:nilerr // this is only a note, and the next call returns the error
	}
	since := docs[0].CreateTime.UTC().Format(time.RFC3339)
	if t.Brings && !t.Reads && !t.despite {
		return Usagef("the brake is on since %s, and this command would bring posts that the brake delays. "+
			"Turn the brake off first (%s), or add --despite-brake", since, t.Hint("brake off", true))
	}
	fmt.Fprintf(t.cmd.ErrOrStderr(), "note: the brake is on since %s: posts may wait in jobs. 'relationindex brake' prints the number of jobs\n", since)
	return nil
}

// reach returns an error at once if no emulator listens at host. A client would try for minutes.
func reach(ctx context.Context, host string) error {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", host)
	if err != nil {
		return fmt.Errorf("no Firestore emulator answers at FIRESTORE_EMULATOR_HOST=%s (is 'relationindex dev' still running?): %w", host, err)
	}
	return conn.Close()
}
