package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

const projectID = "demo-realdata"

// system is an emulator with the project's rules, and the options of a run.
type system struct {
	*local.Machine
	options options
	dir     string // of the run's files
	out     io.Writer
}

func start(ctx context.Context, o options, out io.Writer) (*system, error) {
	bar := console.Start("starting the Firestore emulator", 0)
	defer bar.End()
	dir, err := os.MkdirTemp("", "relationindex-realdata-")
	if err != nil {
		return nil, err
	}
	s := &system{options: o, dir: dir, out: out}
	rules := filepath.Join(dir, "firestore.rules")
	if err = os.WriteFile(rules, relationindex.FirestoreRules, 0o600); err == nil {
		s.Machine, err = local.Start(ctx, emulator.Options{
			RulesFile: rules, LogFile: filepath.Join(dir, "emulator.log"), JavaArgs: []string{"-Xmx" + o.heap},
		})
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return s, nil
}

func (s *system) close() error { return errors.Join(s.Emulator.Close(), os.RemoveAll(s.dir)) }

// project connects functions to the triggers of a database. The functions log errors.
func (s *system) project(ctx context.Context, id string, cfg schema.Config) (*local.Project, error) {
	return s.Project(ctx, id, cfg, logging.New(os.Stderr, slog.LevelWarn))
}

func (s *system) index(ctx context.Context, project string, cfg schema.Config) (*social.System, error) {
	client, err := local.Open(ctx, project, s.Emulator.FirestoreHost())
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = client.Close() })
	return social.Open(client, cfg)
}

// maxShown is the number of violations or differences printed. All are counted.
const maxShown = 20

// verify checks every invariant of the index.
func (s *system) verify(ctx context.Context, project string, cfg schema.Config) error {
	index, err := s.index(ctx, project, cfg)
	if err != nil {
		return err
	}
	began := time.Now()
	bar := console.Start("verify: documents", -1)
	defer bar.End()
	shown := 0
	n, err := verify.New(index).All(ctx, func(v verify.Violation) {
		if shown++; shown <= maxShown {
			bar.Above(func() { fmt.Fprintln(s.out, v) })
		}
	}, bar.Set)
	bar.End()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "verify    %d follows, %d index documents, %d relations in %.1f s\nverify: %d violations\n",
		n.Followers, n.IndexDocuments, n.Relations, time.Since(began).Seconds(), n.Violations)
	if n.Violations > 0 {
		return fmt.Errorf("%d invariants are broken", n.Violations)
	}
	return nil
}
