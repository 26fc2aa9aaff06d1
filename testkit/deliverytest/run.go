package deliverytest

import (
	"slices"
	"testing"
)

// Promise is one thing that a delivery must do.
type Promise struct {
	Name  string
	Check func(t *testing.T) error // returns an error if the promise is broken
}

// Run checks every promise, each in a subtest.
func (s Suite) Run(t *testing.T) {
	for _, p := range s.Promises(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			if err := p.Check(t); err != nil {
				t.Error(err)
			}
		})
	}
}

// Promises returns the promises that Run checks. You may check them until t ends, also at once.
func (s Suite) Promises(t *testing.T) []Promise {
	var all []Promise
	pool := newPool(t, s)
	tales, variants, races := tales, variants, races
	if s.Decides {
		tales, variants, races = slices.Concat(tales, decidedTales), slices.Concat(variants, decidedVariants), slices.Concat(races, decidedRaces)
	}
	if s.Ranks {
		tales, variants, races = slices.Concat(tales, rankedTales), slices.Concat(variants, rankedVariants), slices.Concat(races, rankedRaces)
	}
	for _, name := range s.Kin {
		told := slices.ContainsFunc(slices.Concat(tales, variants), func(s story) bool { return s.name == name })
		if !told && !slices.ContainsFunc(races, func(r race) bool { return r.late == name }) {
			t.Errorf("no story and no late event of a race is named %q", name)
		}
	}
	for n, story := range slices.Concat(tales, variants) {
		stage := &stage{pool: pool, before: story.before}
		for _, way := range ways {
			if n >= len(tales) && way.tries || way.name != comes && !s.differs(story.name) {
				continue
			}
			if way.fits == nil || way.fits(story) {
				all = append(all, promise(story.name+" "+way.name, stage, story.do, way.come))
			}
		}
	}
	for _, r := range races {
		if !s.differs(r.late) {
			continue
		}
		stage := &stage{pool: pool, before: r.before}
		all = append(all, promise(r.late+" that is late for "+r.since, stage, r.do, r.hold))
	}
	for seed := range uint64(seeds) {
		all = append(all, workload(pool, seed))
	}
	return all
}

// differs reports whether a story, or the late event of a race, is worth more than coming once: see [Suite.Kin].
func (s Suite) differs(name string) bool { return s.Kin == nil || slices.Contains(s.Kin, name) }

// promise returns the promise that a story, run in some way, ends well.
func promise(name string, s *stage, do []op, tell func(*teller) error) Promise {
	return Promise{name, func(t *testing.T) error { return tell(&teller{s, t, do}) }}
}
