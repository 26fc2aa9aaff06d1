package operations

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

var machine *local.Machine

func TestMain(m *testing.M) {
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	if machine, err = local.Start(ctx, emulator.Options{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = machine.Emulator.Close()
	_ = os.Remove(machine.Emulator.LogFile())
	cancel()
	os.Exit(code)
}

// deploy deploys the functions to the site's project, also in place of those
// with another configuration. From then on writes have events.
func (s *site) deploy(cfg config.Functions) *local.Project {
	s.t.Helper()
	p, err := machine.Project(s.t.Context(), s.project, cfg, slog.New(slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// index is the command line's: what verify and repair work with. What it does is
// counted.
func (s *site) index(cfg config.Functions, more ...wire.Interceptor) (*relations.Index, *wire.Meter) {
	s.t.Helper()
	var meter wire.Meter
	client, err := local.Open(s.t.Context(), s.project, machine.Emulator.FirestoreHost(), append(more, meter.Interceptor())...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = client.Close() })
	x, err := relations.New(client, chunker.New(client, chunker.Options{}), cfg.RelationsOptions())
	if err != nil {
		s.t.Fatal(err)
	}
	return x, &meter
}

// verify are the violations at rest.
func (s *site) verify(cfg config.Functions) (found []relations.Violation) {
	s.t.Helper()
	x, _ := s.index(cfg)
	if _, err := x.Verify(s.t.Context(), func(v relations.Violation) { found = append(found, v) }, nil); err != nil {
		s.t.Fatal(err)
	}
	return found
}

// wantSound checks that nothing is wrong at rest, and that every feed is what
// follower documents and posts say.
func (s *site) wantSound(cfg config.Functions) {
	s.t.Helper()
	for _, v := range s.verify(cfg) {
		s.t.Errorf("verify: %v", v)
	}
	s.wantFeeds()
}

// repair repairs, and tells what that cost.
func (s *site) repair(cfg config.Functions) (relations.Repaired, wire.Counts) {
	s.t.Helper()
	x, meter := s.index(cfg)
	repaired, err := x.Repair(s.t.Context(), "", nil, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return repaired, meter.Counts()
}
