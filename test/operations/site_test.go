//go:build long

package operations

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// site is an app with a database of its own, and clients that go on writing.
type site struct {
	*testkit.App
	begun  atomic.Int64 // writes of its clients
	writes atomic.Int64 // of them, those that were acknowledged
}

// newSite makes a site without functions; cfg is the command line's.
func newSite(t *testing.T, cfg schema.Config) *site {
	t.Helper()
	return &site{App: testkit.OpenApp(t, cfg)}
}

func user(n int) string { return fmt.Sprintf("u%d", n) }

func (s *site) followOf(f, u string) *firestore.DocumentRef {
	return s.Client.Doc("users/" + u + "/followers/" + f)
}

var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func post(n int, u string) map[string]any {
	return map[string]any{"userId": u, "createdAt": day.Add(time.Duration(n) * time.Second), "text": fmt.Sprint(n)}
}

// settled writes what an app has: accounts who each have followers and posts.
func (s *site) settled(users, followers, posts int) {
	s.T.Helper()
	bulk := s.Client.BulkWriter(s.T.Context())
	set := func(ref *firestore.DocumentRef, data map[string]any) {
		if _, err := bulk.Set(ref, data, firestore.MergeAll); err != nil {
			s.T.Fatal(err)
		}
	}
	for u := range users {
		set(s.Client.Doc("users/"+user(u)), map[string]any{"name": user(u)})
		for n := range followers {
			set(s.followOf(user((u+n+1)%max(users, followers+1)), user(u)), map[string]any{"createdAt": day})
		}
		for n := range posts {
			set(s.Client.Doc(fmt.Sprintf("posts/old-%d-%d", u, n)), post(u*posts+n, user(u)))
		}
	}
	bulk.End()
}

// live has clients follow, unfollow, post, edit and delete until the returned
// function is called. Users from spare on may delete their accounts.
func (s *site) live(users, spare int, seed uint64) (stop func()) {
	ctx, cancel := context.WithCancel(s.T.Context())
	var clients sync.WaitGroup
	for lane := range 3 {
		rng := rand.New(rand.NewPCG(seed, uint64(lane)))
		clients.Go(func() {
			pace := time.NewTicker(20 * time.Millisecond)
			defer pace.Stop()
			for ctx.Err() == nil {
				<-pace.C
				// A lane has its authors to itself, so that its own writes are in order.
				u := rng.IntN(users/3)*3 + lane
				if u >= users {
					continue
				}
				f := (u + 1 + rng.IntN(users-1)) % users
				var err error
				background := context.WithoutCancel(ctx) // a write under way is finished
				switch n := s.begun.Add(1); rng.IntN(9) {
				case 0, 1, 2:
					_, err = s.followOf(user(f), user(u)).Set(background, map[string]any{"createdAt": firestore.ServerTimestamp})
				case 3, 4:
					_, err = s.followOf(user(f), user(u)).Delete(background)
				case 5, 6:
					_, err = s.Client.Doc(fmt.Sprintf("posts/new-%d-%d", seed, n)).Set(background, post(10_000+int(n), user(u)))
				case 7:
					_, err = s.Client.Doc(fmt.Sprintf("posts/old-%d-0", u)).Delete(background)
				case 8:
					if u >= spare {
						_, err = s.Client.Doc("users/" + user(u)).Delete(background)
					} else {
						_, err = s.Client.Doc(fmt.Sprintf("posts/old-%d-1", u)).Set(background, post(10_000+int(n), user(u)))
					}
				}
				if err != nil {
					s.T.Errorf("a client's write: %v", err)
					return
				}
				s.writes.Add(1)
			}
		})
	}
	return func() { cancel(); clients.Wait() }
}

// until waits until clients have written n more documents.
func (s *site) until(n int64) {
	s.T.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for target := s.writes.Load() + n; s.writes.Load() < target && !s.T.Failed(); {
		<-tick.C
	}
}

// all are the documents of a query.
func (s *site) all(q firestore.Query) []*firestore.DocumentSnapshot {
	s.T.Helper()
	docs, err := q.Documents(s.T.Context()).GetAll()
	if err != nil {
		s.T.Fatal(err)
	}
	return docs
}

// wantFeeds compares every reader's feed with follower documents and posts.
func (s *site) wantFeeds() {
	s.T.Helper()
	want, got := map[string][]string{}, map[string][]string{}
	followers := map[string][]string{}
	for _, f := range s.all(s.Client.CollectionGroup("followers").Query) {
		u := f.Ref.Parent.Parent.ID
		followers[u] = append(followers[u], f.Ref.ID)
	}
	for _, p := range s.all(s.Client.Collection("posts").Query) {
		for _, f := range followers[p.Data()["userId"].(string)] {
			want[f] = append(want[f], p.Ref.ID)
		}
	}
	// One query for each reader would take the emulator a minute.
	for _, r := range s.all(s.Client.Collection("_relations").Query) {
		for _, f := range r.Data()["followers"].([]any) {
			got[f.(string)] = append(got[f.(string)], r.Data()["postId"].(string))
		}
	}
	for _, feeds := range []map[string][]string{want, got} {
		for _, posts := range feeds {
			slices.Sort(posts)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.T.Errorf("feeds (-want +got):\n%s", diff)
	}
}

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

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
