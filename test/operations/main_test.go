package operations

import (
	"testing"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// deploy deploys the functions to the site's project, also in place of those
// with another configuration. From then on writes have events.
func (s *site) deploy(cfg schema.Config) {
	s.T.Helper()
	s.Config = cfg
	s.Register()
}

// wantSound checks that nothing is wrong at rest, and that every feed is what
// follower documents and posts say.
func (s *site) wantSound() {
	s.T.Helper()
	s.WantVerified()
	s.wantFeeds()
	if s.Config.Timeline() == "" {
		return
	}
	report := func(p entries.Problem) { s.T.Errorf("verify-timelines: %v", p) }
	if _, err := entries.Check(s.T.Context(), s.Instance().Timelines, entries.Options{Report: report}); err != nil {
		s.T.Error(err)
	}
}

// repair repairs as the command line does, and tells what that cost.
func (s *site) repair() (repair.Repaired, wire.Counts) {
	s.T.Helper()
	var meter wire.Meter
	repaired, err := repair.New(s.Instance(meter.Interceptor())).Repair(s.T.Context(), "", nil, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	return repaired, meter.Counts()
}
