package scale

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

var (
	settingsReaders = flag.Int("settings-readers", 20_000, "readers of a fan-out with settings in BenchmarkTimelines, a multiple of 10,000")
	settingsRounds  = flag.Int("settings-rounds", 4, "fan-outs with settings, and as many without, in BenchmarkTimelines")
)

// warmUp is how many fan-outs of each are not measured: the emulator and the functions get faster.
const warmUp = 2

// mostTimesSettings is how much longer a fan-out with settings may take than one without.
const mostTimesSettings = 1.2

// settingsBeside measures fan-outs with settings beside fan-outs without, and returns a row of the
// table. Each has functions and an emulator of its own, with the same documents: every reader has
// settings, every second one of ten patterns. They take turns, in alternating order.
func settingsBeside(b *testing.B, name string, cfg schema.Config) []string {
	b.Helper()
	cfg.Feeds = schema.FeedsOf(cfg.Timeline(), false)
	without := settled(b, cfg)
	cfg.ReaderSettings, cfg.Idle = true, 30*24*time.Hour
	with := settled(b, cfg)
	var plain, took used
	for n := range warmUp + *settingsRounds {
		post := fmt.Sprintf("post-%010d", n)
		bringWithout := func() {
			plain = plain.plus(usedBy(b, func() time.Duration { return without.bring(without.crowd, post) }))
		}
		bringWith := func() { took = took.plus(usedBy(b, func() time.Duration { return with.bring(with.crowd, post) })) }
		if n == warmUp {
			plain, took = used{}, used{}
		}
		if n%2 == 0 {
			bringWithout()
			bringWith()
		} else {
			bringWith()
			bringWithout()
		}
	}
	last := []string{fmt.Sprintf("post-%010d", warmUp+*settingsRounds-1)}
	without.crowd.wantOneEntry(b, last)
	with.crowd.wantOneEntry(b, last)
	times, cpuTimes := took.time.Seconds()/plain.time.Seconds(), took.cpu.Seconds()/plain.cpu.Seconds()
	report(b, times, "settings-x")
	report(b, cpuTimes, "settings-cpu-x")
	report(b, 0, "ns/op")
	if times > mostTimesSettings {
		b.Errorf("%s: with settings %.2f times as long as without, want at most %v", name, times, mostTimesSettings)
	}
	return []string{name, seconds(took.time), seconds(plain.time), fmt.Sprintf("%.2f", times), seconds(took.cpu), seconds(plain.cpu), fmt.Sprintf("%.2f", cpuTimes)}
}

// settledSystem is a system with a crowd whose readers have settings.
type settledSystem struct {
	*system
	crowd crowd
}

func settled(b *testing.B, cfg schema.Config) settledSystem {
	b.Helper()
	s := startWith(b, cfg)
	client, err := wire.Open(b.Context(), s.Config().Project, s.FirestoreHost())
	must(b, err)
	b.Cleanup(func() { must(b, client.Close()) })
	c := crowd{client: client, author: "author", documents: *settingsReaders / capacity}
	c.load(b, parallel)
	c.loadSettings(b)
	s.idle() // each has an event
	return settledSystem{s, c}
}

// loadSettings writes what the followers have decided: nobody hides what comes, nobody is idle.
func (c crowd) loadSettings(b *testing.B) {
	b.Helper()
	var hide []string
	for n := range 10 {
		hide = append(hide, fmt.Sprintf("%s/photo", followerID(n)))
	}
	const inCommit = 500
	inParallel(b, c.documents*capacity/inCommit, parallel, func(ctx context.Context, part int) error {
		batch := c.client.Batch() //nolint:staticcheck // one commit is what is wanted
		for n := part * inCommit; n < (part+1)*inCommit; n++ {
			settings := map[string]any{"seenAt": time.Now()}
			if n%2 == 0 {
				settings["hide"] = hide
			}
			batch.Set(c.client.Doc(fmt.Sprintf("users/%s/%s/feed", followerID(c.first+n), names.ReaderSettings)), settings)
		}
		_, err := batch.Commit(ctx)
		return err
	})
}

func (u used) plus(o used) used { return used{u.time + o.time, u.cpu + o.cpu} }
