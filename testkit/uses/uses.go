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
	once bool // run in the way atOnce only: the story is large
}

// uses run in parallel, as far as -parallel allows.
var uses = []use{
	{"RecruitingNewsfeed", recruitingNewsfeed, false},
	{"AbortedJobsAreFound", abortedJobsAreFound, false},
	{"Sites", sites, false},
	{"SitesOfTheNewestThousand", sitesOfTheNewestThousand, true},
	{"Inbox", inbox, false},
	{"InboxOfThoseWhoWereAway", inboxOfThoseWhoWereAway, false},
	{"TimelineWithoutFarmville", timelineWithoutFarmville, false},
}

// ways are ways to run a story, by name. With "twice" in the name, [stories.Plan] delivers each event
// twice.
var ways = map[string]func(*schema.Config){
	atOnce:     func(*schema.Config) {},
	"twice":    func(*schema.Config) {},
	"in steps": func(cfg *schema.Config) { cfg.InlineLimit, cfg.Chunk, cfg.Step = 1, 2, time.Nanosecond },
}

const atOnce = "at once"

// later is the time of first posts in stories that count costs. A delivery searches earlier buckets
// for a post that is older than the open bucket. Posts of clients are newer.
var later = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)

// Run runs every use on a machine, in every way, each as a subtest.
func Run(t *testing.T, m stories.Machine) { run(t, m, ways) }

// RunAtOnce is like [Run], in the way atOnce only: work is not split into steps.
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

// world is the surroundings of one use: its test, machine and way.
type world struct {
	t      *testing.T
	m      stories.Machine
	change func(*schema.Config)
	costs  bool // costs are checked: work is not split into steps, and no event comes twice
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

// metered is a System whose functions run in this process.
type metered interface{ Counts() wire.Counts }

// wantCost calls do, waits until nothing is under way, and checks the functions' writes and the most
// reads. Buckets opened within the last second may be read twice.
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
