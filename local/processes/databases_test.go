//go:build long

package processes_test

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator"
	"example.com/relationindex/feed"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// Two systems of one project, a database each, one with other names of collections: the same accounts live another story in
// each at the same time, with jobs and a deleted account, and what happens in one is nothing to the other.
func TestTwoSystemsInOneProject(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	m, err := local.Start(t.Context(), emulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = m.Emulator.Close()
		_ = os.Remove(m.Emulator.LogFile())
	})
	first := start(t, m, schema.Config{NoOwnPosts: true})
	blue := start(t, m, schema.Config{NoOwnPosts: true, Database: "blue", Users: "people", Followers: "fans", Posts: "notes"})
	var both errgroup.Group
	both.Go(func() error { return first.live(ctx, "a", "b", "c", "d") })
	both.Go(func() error { return blue.live(ctx, "c", "d", "x") })
	if err := both.Wait(); err != nil {
		t.Fatal(err)
	}
	first.wantFeeds(ctx, map[string]int{"a": 2, "b": 2, "c": 2, "d": 0, "x": 0}) // d's account is gone
	blue.wantFeeds(ctx, map[string]int{"a": 0, "b": 0, "c": 2, "d": 2, "x": 0})  // and x's is

	for acts, rests := range map[*system]*system{first: blue, blue: first} {
		stats, calls := m.Emulator.Broker().Stats(rests.name), rests.Meter.Counts()
		stuck := acts.Client.Collection(chunker.DefaultCollection).Doc("stuck")
		if err := ok(stuck.Set(ctx, chunker.Job{State: chunker.Running, Lease: &chunker.Lease{Until: time.Now().Add(time.Hour)}})); err != nil {
			t.Fatal(err)
		}
		acts.wantBusy(ctx, "job stuck is running")
		// The other is idle meanwhile. Then a job purges alice.
		if err := errors.Join(rests.Idle(ctx), ok(stuck.Delete(ctx)), ok(acts.user("alice").Delete(ctx)), acts.Idle(ctx)); err != nil {
			t.Fatal(err)
		}
		acts.wantFeeds(ctx, map[string]int{"c": 0})
		if s, c := m.Emulator.Broker().Stats(rests.name), rests.Meter.Counts(); s != stats || c != calls {
			t.Errorf("%s had %+v and did %+v, and after what happened in %s it is %+v and %+v", rests.name, stats, calls, acts.name, s, c)
		}
	}
}

// wantBusy is that the system is not idle, for a reason, once its events have come.
func (s *system) wantBusy(ctx context.Context, why string) {
	s.t.Helper()
	var err error
	for ctx.Err() == nil {
		short, cancel := context.WithTimeout(ctx, time.Second)
		err = s.Idle(short)
		cancel()
		if err == nil || strings.Contains(err.Error(), s.name+" is busy: "+why) {
			break
		}
	}
	if err == nil || ctx.Err() != nil {
		s.t.Errorf("Idle of %s: %v", s.name, err)
	}
}

// system is one database with its functions.
type system struct {
	*local.Project
	t    *testing.T
	cfg  schema.Config
	name string // emulator.Name
}

func start(t *testing.T, m *local.Machine, cfg schema.Config) *system {
	cfg.Capacity, cfg.InlineLimit, cfg.Chunk, cfg.CopiedFields = 2, 1, 2, []string{"text"}
	p, err := m.Project(t.Context(), "demo-two-systems", cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return &system{p, t, cfg, emulator.Name(p.ID, cfg.Database)}
}

func (s *system) user(id string) *firestore.DocumentRef {
	return s.Client.Collection(s.cfg.Collections().Users).Doc(id)
}

func ok(_ *firestore.WriteResult, err error) error { return err }

// live writes what clients would: a post, followers of alice, and another post. Then the last follower's account is deleted.
func (s *system) live(ctx context.Context, followers ...string) error {
	post := func(id string) error {
		return ok(s.Client.Collection(s.cfg.Collections().Posts).Doc(id).Set(ctx, map[string]any{"userId": "alice", "createdAt": time.Now(), "text": s.name + id}))
	}
	err := post("p1")
	for _, f := range followers {
		follow := s.user("alice").Collection(s.cfg.Collections().Followers).Doc(f)
		err = errors.Join(err, ok(s.user(f).Set(ctx, map[string]any{"name": f}, firestore.MergeAll)), ok(follow.Set(ctx, map[string]any{"createdAt": time.Now()})))
	}
	return errors.Join(err, post("p2"), s.Idle(ctx), ok(s.user(followers[len(followers)-1]).Delete(ctx)), s.Idle(ctx))
}

// wantFeeds checks how many posts each reader sees, that their texts are of this system, and every invariant of it.
func (s *system) wantFeeds(ctx context.Context, want map[string]int) {
	got := map[string]int{}
	for reader := range want {
		docs, err := feed.Query(s.Client, reader).Limit(50).Documents(ctx).GetAll()
		if err != nil {
			s.t.Fatal(err)
		}
		got[reader] = len(docs)
		for _, doc := range docs {
			if text := doc.Data()["text"]; text != s.name+doc.Data()["postId"].(string) {
				s.t.Errorf("%s in %s sees %v", reader, s.name, text)
			}
		}
	}
	index, err := social.Open(s.Client, s.cfg)
	if err == nil {
		_, err = verify.New(index).All(ctx, func(v verify.Violation) { s.t.Errorf("%s: %v", s.name, v) }, nil)
	}
	if err != nil || !maps.Equal(got, want) {
		s.t.Errorf("feeds of %s: %v, want %v; %v", s.name, got, want, err)
	}
}
