package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/spf13/cobra"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

// demoProject is the project of dev and demo. Its name can never mean a real one.
const demoProject = "demo-relationindex"

// target is the database that a command works on.
type target struct {
	project string // of the flag
	bulk    bool   // it writes so much that the size of each commit is not looked at on the emulator
}

func (t *target) addFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&t.project, "project", "",
		"project of the database; with FIRESTORE_EMULATOR_HOST it defaults to GOOGLE_CLOUD_PROJECT or "+demoProject)
}

// targetHelp ends the help of every command that has a target.
const targetHelp = `

The database is that of FIRESTORE_EMULATOR_HOST, as dev prints it. Without that
variable it is the real one of --project, with the application default
credentials. RELATIONINDEX_DATABASE names one that is not (default). The
collections, and the fields that relations copy, are those of the RELATIONINDEX_
variables that the functions were given.`

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

// open connects to the target. A real project has to be named by the flag, so
// that nobody writes to one because of what a shell had set.
func (t *target) open(ctx context.Context) (*database, error) {
	cfg, err := config.LoadCLI()
	if err != nil {
		return nil, err
	}
	switch {
	case t.project != "":
		cfg.Project = t.project
	case cfg.EmulatorHost == "":
		return nil, usageError{errors.New("which database? Set FIRESTORE_EMULATOR_HOST as 'relationindex dev' prints it, or name a real one with --project")}
	case cfg.Project == "":
		cfg.Project = demoProject
	}
	var guards []wire.Interceptor
	if cfg.EmulatorHost != "" {
		if err := reach(ctx, cfg.EmulatorHost); err != nil {
			return nil, err
		}
		g, err := local.Guards(t.bulk, nil)
		if err != nil {
			return nil, err
		}
		guards = append(guards, g)
	}
	client, err := wire.OpenDatabase(ctx, cfg.Project, cfg.Database, cfg.EmulatorHost, guards...)
	if err != nil {
		return nil, err
	}
	return &database{cfg: cfg, client: client}, nil
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
