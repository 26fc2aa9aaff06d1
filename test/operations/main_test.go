package operations

import (
	"testing"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// deploy deploys the functions to the site's project, also in place of those
// with another configuration. From then on writes have events.
func (s *site) deploy(cfg config.Functions) *local.Project {
	s.t.Helper()
	return testkit.Functions(s.t, s.project, cfg)
}

// index is the command line's: what verify and repair work with. What it does is
// counted.
func (s *site) index(cfg config.Functions, more ...wire.Interceptor) (*relations.Index, *wire.Meter) {
	s.t.Helper()
	var meter wire.Meter
	return testkit.Index(s.t, s.project, cfg, append(more, meter.Interceptor())...), &meter
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
