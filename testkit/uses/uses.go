package uses

import (
	"testing"
	"time"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// use is a story.
type use struct {
	name string
	tell func(world)
	once bool // told at once alone: it is large
}

// uses are told at once, as far as -parallel lets them.
var uses = []use{
	{"RecruitingNewsfeed", recruitingNewsfeed, false},
	{"AbortedJobsAreFound", abortedJobsAreFound, false},
	{"Sites", sites, false},
	{"SitesOfTheNewestThousand", sitesOfTheNewestThousand, true},
	{"Inbox", inbox, false},
	{"InboxOfThoseWhoWereAway", inboxOfThoseWhoWereAway, false},
	{"TimelineWithoutFarmville", timelineWithoutFarmville, false},
}

// ways are how the functions work and events come. "twice" is of [stories.Plan].
var ways = map[string]func(*schema.Config){
	atOnce:     func(*schema.Config) {},
	"twice":    func(*schema.Config) {},
	"in steps": func(cfg *schema.Config) { cfg.InlineLimit, cfg.Chunk, cfg.Step = 1, 2, time.Nanosecond },
}

const atOnce = "at once"

// later is the time of first posts where costs count. Buckets look for a post that is older than they
// are in those before, and posts of clients are not.
var later = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// Run tells every use to a machine, in every way, each as a test of its own.
func Run(t *testing.T, m stories.Machine) { run(t, m, ways) }

// RunAtOnce is [Run] of one way alone: all is done at once.
func RunAtOnce(t *testing.T, m stories.Machine) {
	run(t, m, map[string]func(*schema.Config){atOnce: ways[atOnce]})
}

func run(t *testing.T, m stories.Machine, ways map[string]func(*schema.Config)) {
	for _, use := range uses {
		for way, change := range ways {
			if use.once && way != atOnce {
				continue
			}
			t.Run(use.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				use.tell(world{t, m, change, way == atOnce})
			})
		}
	}
}

// world is where a use is told.
type world struct {
	t      *testing.T
	m      stories.Machine
	change func(*schema.Config)
	costs  bool // are to be asserted: work is not divided, and no event comes twice
}

// start makes an app with the variables of a use.
func (w world) start(cfg schema.Config) app {
	w.t.Helper()
	w.change(&cfg)
	return app{stories.New(w.t, w.m, cfg), w}
}

// app is a project, as its clients see it.
type app struct {
	*stories.App
	world world
}

// metered is a machine whose functions are in this process.
type metered interface{ Counts() wire.Counts }

// wantCost checks what the functions write from do until nothing is under way, and that they read at
// most so much: buckets that were opened within the last second are looked at twice.
func (a app) wantCost(what string, reads, writes int64, do func()) {
	a.T.Helper()
	m, counts := a.System.(metered)
	var before wire.Counts
	if counts {
		before = m.Counts()
	}
	do()
	a.Settle()
	if !counts || !a.world.costs {
		return
	}
	if used := m.Counts().Minus(before); used.Reads > reads || used.Writes != writes || used.Deletes != 0 {
		a.T.Errorf("%s costs %v, want %d writes and at most %d reads", what, used, writes, reads)
	}
}
