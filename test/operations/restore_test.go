//go:build long

package operations

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// export copies all documents, one collection after the other, while clients
// write: an export without a snapshot time is torn like this.
func (s *site) export() map[string]map[string]any {
	s.T.Helper()
	return testkit.Documents(s.T, s.Client, func(string) { s.until(15) })
}

// A restored export is inconsistent, and has unfinished jobs. Whether the triggers
// saw its writes or not, the jobs end, and a repair fixes the rest, timelines too.
func TestRestoredExportIsRepaired(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		users int
		cfg   schema.Config
	}{
		"relations": {18, schema.Config{NoOwnPosts: true, Capacity: 4, InlineLimit: 3, Chunk: 2, Lease: 10 * time.Second}},
		"timelines": {8, schema.Config{NoOwnPosts: true, Capacity: 4, Lease: 10 * time.Second, Feeds: []string{"relations", "buckets"}, Bucket: 10, Backfill: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			restored(t, c.users, c.cfg)
		})
	}
}

func restored(t *testing.T, users int, cfg schema.Config) {
	t.Helper()
	source := newSite(t, cfg)
	source.Register()
	source.settled(users, 8, 4)
	ghost := source.buried()
	stop := source.live(users, users-3, 1)
	source.until(40)
	export := source.export()
	stop()
	maps.Copy(export, ghost)
	// A job that was under way when its process died with everything else.
	for path, data := range export {
		if strings.HasPrefix(path, "_functions/") && data["kind"] == "relations.index" && data["state"] == string(chunker.Done) {
			data["state"], data["phase"], data["finishedAt"], data["expireAt"] = "running", 0, nil, nil
			data["lease"], data["wakeAt"] = map[string]any{"holder": "gone", "until": day}, day
			t.Logf("%s comes back as running", path)
			break
		}
	}
	for name, during := range map[string]bool{"with triggers": true, "triggers afterwards": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, cfg)
			if during {
				s.Register()
			}
			testkit.Write(t, s.Client, export)
			s.Register()
			engine := chunker.New(s.Client, chunker.Options{Grace: time.Second})
			defer s.sweeping(engine)()
			s.Settle()
			jobs, err := engine.Unfinished(t.Context(), 10)
			if err != nil || len(jobs) > 0 {
				t.Errorf("unfinished jobs: %v, %v", jobs, err)
			}
			repaired, cost := s.repair()
			t.Logf("%d documents: %d violations before the repair: %v", len(export), repaired.Before.Violations, cost)
			if cfg.Timeline() != "" {
				if err := s.repairTimelines(faults.NewDeath(0)); err != nil {
					t.Error(err)
				}
			}
			s.Settle()
			s.wantSound()
			for path := range ghost {
				if doc, err := s.Client.Doc(path).Get(t.Context()); doc == nil || doc.Exists() {
					t.Errorf("%s is there again: %v", path, err)
				}
			}
			stop := s.live(users, users, 2)
			s.until(40)
			stop()
			s.Settle()
			s.wantSound()
		})
	}
}

// buried are the follows of an account that is deleted afterwards: in an export
// they can be older than its tombstone.
func (s *site) buried() map[string]map[string]any {
	s.T.Helper()
	follows := map[string]map[string]any{}
	s.Must(s.Client.Doc("users/ghost").Set(s.T.Context(), map[string]any{"name": "ghost"}))
	for u := range 3 {
		follows["users/"+user(u)+"/followers/ghost"] = map[string]any{"createdAt": day}
		s.Must(s.followOf("ghost", user(u)).Set(s.T.Context(), map[string]any{"createdAt": day}))
	}
	s.Settle()
	s.Must(s.Client.Doc("users/ghost").Delete(s.T.Context()))
	s.Settle()
	return follows
}

// sweeping calls Sweep as the scheduler does, until the returned function is
// called: the event of a restored job may never be sent, or come while the old
// lease seems to hold.
func (s *site) sweeping(engine *chunker.Engine) (stop func()) {
	ctx, cancel := context.WithCancel(s.T.Context())
	var done sync.WaitGroup
	done.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			if _, err := engine.Sweep(ctx, chunker.NewBudget(ctx, time.Now(), time.Minute, 0, nil)); err != nil && ctx.Err() == nil {
				s.T.Errorf("sweep: %v", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
