package uses

import (
	"slices"
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
	main bool // Run tells it
	once bool // run in the way atOnce only: the story is large
}

// uses run in parallel, as far as -parallel allows.
var uses = []use{
	{name: "RecruitingNewsfeed", tell: recruitingNewsfeed, main: true},
	{name: "AbortedJobsAreFound", tell: abortedJobsAreFound},
	{name: "Sites", tell: sites, main: true},
	{name: "SitesOfTheNewestThousand", tell: sitesOfTheNewestThousand, once: true},
	{name: "Inbox", tell: inbox},
	{name: "InboxOfThoseWhoWereAway", tell: inboxOfThoseWhoWereAway, main: true},
	{name: "TimelineWithoutFarmville", tell: timelineWithoutFarmville, main: true},
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

// Run runs a use of each page on a machine, in the way atOnce, each as a subtest.
func Run(t *testing.T, m stories.Machine) { run(t, m, true) }

// RunOthers runs every use in every way, but for those of [Run].
func RunOthers(t *testing.T, m stories.Machine) { run(t, m, false) }

// RunNamed runs the uses with these names, in the way atOnce.
func RunNamed(t *testing.T, m stories.Machine, names ...string) {
	found := 0
	for _, use := range uses {
		if slices.Contains(names, use.name) {
			use.run(t, m, atOnce)
			found++
		}
	}
	if found != len(names) {
		t.Errorf("%d uses have the names %q", found, names)
	}
}

func run(t *testing.T, m stories.Machine, main bool) {
	told := 0
	for _, use := range uses {
		for way := range ways {
			if main == (use.main && way == atOnce) && (!use.once || way == atOnce) {
				use.run(t, m, way)
				told++
			}
		}
	}
	if told == 0 {
		t.Error("no use was told")
	}
}

func (u use) run(t *testing.T, m stories.Machine, way string) {
	t.Run(u.name+"/"+way, func(t *testing.T) {
		t.Parallel()
		u.tell(world{t, m, ways[way], way == atOnce})
	})
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

// profiles gives people profiles, without which no post reaches them by name.
func (a app) profiles(people ...string) {
	a.T.Helper()
	for _, u := range people {
		a.Profile(u, map[string]any{"name": u})
	}
	a.Settle()
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
