//go:build long

package audit_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/audit/horizon"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit"
)

// changing configures functions that go by the stored horizon.
var changing = schema.Config{NoOwnPosts: true, Horizon: 100 * testkit.HorizonDay, Capacity: 1, CopiedFields: []string{"text"}}

// atHorizon are the documents of an app with a horizon of so many days, and an author ada of posts p1 to
// p8, one a day, with two index documents.
func atHorizon(t *testing.T, days int) map[string]map[string]any {
	t.Helper()
	a := testkit.OpenApp(t, changing)
	a.StoreHorizon(schema.Horizon{Feed: time.Duration(days) * testkit.HorizonDay, Kept: time.Duration(days) * testkit.HorizonDay})
	a.Register()
	a.Follow("r1", "ada")
	a.Settle()
	a.Follow("r2", "ada")
	a.Settle()
	for n := 1; n <= 8; n++ {
		a.AgedPost(fmt.Sprint("p", n), "ada", testkit.DaysAgo(n))
	}
	a.Settle()
	a.WantVerified()
	return testkit.Documents(t, a.Client, nil)
}

// stored returns the horizon that is stored.
func stored(a *testkit.App) schema.Horizon {
	a.T.Helper()
	h, err := schema.NewHorizons(a.Client, true).Read(a.T.Context())
	if err != nil {
		a.T.Fatal(err)
	}
	return h
}

// change changes the horizon without waiting. At each wait, expired relations go, and feeds must be whole.
func change(a *testkit.App, days int, interceptors ...wire.Interceptor) (horizon.Changed, error) {
	a.T.Helper()
	return horizon.Change(a.T.Context(), a.Instance(interceptors...), time.Duration(days)*testkit.HorizonDay, horizon.Options{
		Wait: func(_ context.Context, d time.Duration) error {
			if d <= schema.HorizonTTL || d > horizon.Old {
				a.T.Errorf("it waits %v", d)
			}
			a.Sweep()
			a.WantJoin("r1", 3)
			return nil
		},
	})
}

// The command that changes the horizon is disturbed, and run again. Feeds are whole all the time.
func TestNextHorizonChangeFinishesDisturbedChange(t *testing.T) {
	t.Parallel()
	sweep := func(a *testkit.App) {
		a.Sweep()
		a.WantJoin("r1", 3)
	}
	var works []testkit.Disturbed[*testkit.App]
	for _, c := range []struct{ from, to int }{{6, 3}, {3, 6}, {0, 3}, {3, 0}} {
		documents := atHorizon(t, c.from)
		works = append(works, testkit.Disturbed[*testkit.App]{
			Name: fmt.Sprintf("from %d to %d days", c.from, c.to), Writes: 2, Between: sweep,
			Prepare: func(t *testing.T) *testkit.App {
				a := testkit.CopyOf(t, changing, documents)
				a.StoreHorizon(schema.Horizon{Feed: time.Duration(c.from) * testkit.HorizonDay, Kept: time.Duration(c.from) * testkit.HorizonDay})
				return a
			},
			Act: func(a *testkit.App, p testkit.Process) error {
				_, err := change(a, c.to, p.Interceptor)
				return err
			},
			Check: func(a *testkit.App) {
				sweep(a)
				if h := stored(a); h.Feed != time.Duration(c.to)*testkit.HorizonDay || h.Kept != h.Feed {
					a.T.Errorf("the horizon is %+v", h)
				}
				a.WantVerified()
				a.WantJoin("r2", 1)
			},
		})
	}
	testkit.Disturb(t, works...)
}

// The horizon is lowered and raised while clients write. Feeds are whole whenever all is at rest, and
// between these every post that stays is in each feed.
func TestHorizonChangeDuringClientWrites(t *testing.T) {
	t.Parallel()
	a := testkit.CopyOf(t, changing, atHorizon(t, 6))
	a.StoreHorizon(schema.Horizon{Feed: 6 * testkit.HorizonDay, Kept: 6 * testkit.HorizonDay})
	a.Register()
	writes := func(round int) {
		var all sync.WaitGroup
		for n := range 6 {
			all.Go(func() {
				id := fmt.Sprintf("w%d_%d", round, n)
				a.AgedPost(id, "ada", testkit.DaysAgo(n+1)-time.Duration(round*10+n)*time.Minute)
				a.Follow(fmt.Sprintf("f%d_%d", round, n), "ada")
				a.Edit(id, firestore.Update{Path: "createdAt", Value: time.Now().Add(-testkit.DaysAgo(7-n) - time.Duration(round*10+n)*time.Second).Truncate(time.Microsecond)})
				if round > 0 {
					a.Unfollow(fmt.Sprintf("f%d_%d", round-1, n), "ada")
					a.DeletePost(fmt.Sprintf("w%d_%d", round-1, n))
				}
			})
		}
		all.Wait()
	}
	round := 0
	for _, days := range []int{2, 5, 0, 3} {
		done, err := horizon.Change(t.Context(), a.Instance(), time.Duration(days)*testkit.HorizonDay, horizon.Options{
			Wait: func(context.Context, time.Duration) error {
				a.Register() // a minute later, functions go by what is stored
				writes(round)
				round++
				a.Sweep()
				return nil
			},
			Progress: func(doing string, _ int64) {
				if doing == "repair" {
					a.Follow(fmt.Sprint("beside", round), "ada")
				}
			},
		})
		if err != nil {
			t.Fatalf("%v: %+v", err, done)
		}
		writes(round)
		round++
		a.Settle()
		a.Sweep()
		a.WantVerified()
		a.WantJoin("r1", 7)
		a.WantJoin(fmt.Sprintf("f%d_1", round-1), 50)
	}
}

// A change writes expireAt alone where it has to be later, and a repair then what is missing. A shorter
// horizon reads no relation.
func TestHorizonChangeWrites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from, to         int
		renewed, missing int64 // of 2 index documents
		drop             bool  // the document of the horizon
	}{
		"the first":  {0, 3, 16, 0, true},
		"a longer":   {3, 6, 6, 6, false}, // the newest three of six posts have theirs
		"none":       {3, 0, 6, 10, false},
		"no more":    {3, 0, 6, 10, true}, // the document was deleted by hand
		"a shorter":  {6, 3, 0, 0, false},
		"the same":   {3, 3, 0, 0, false},
		"none again": {0, 0, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.CopyOf(t, changing, atHorizon(t, c.from))
			if !c.drop {
				a.StoreHorizon(schema.Horizon{Feed: time.Duration(c.from) * testkit.HorizonDay, Kept: time.Duration(c.from) * testkit.HorizonDay})
			}
			a.Sweep()
			before := a.Documents(a.Client.Collection("_relations").Query)
			var meter wire.Meter
			index := a.Instance(meter.Interceptor())
			done, err := horizon.Change(t.Context(), index, time.Duration(c.to)*testkit.HorizonDay, horizon.Options{Wait: func(context.Context, time.Duration) error { return nil }})
			a.OK(err)
			if done.Renewed != c.renewed || done.Before.Violations != c.missing || done.Repair != (c.missing > 0) {
				t.Errorf("it did %+v, want %d renewed and %d missing", done, c.renewed, c.missing)
			}
			if used := meter.Counts(); name == "a shorter" && used.Reads > 10 {
				t.Errorf("%v, want no reads of relations", used)
			}
			for path, r := range before {
				now := a.Data(path)
				delete(now, "expireAt")
				delete(r, "expireAt")
				if diff := cmp.Diff(r, now); diff != "" {
					t.Errorf("%s: %s", path, diff)
				}
			}
			a.WantVerified()
			if n := a.Count("_relations"); c.to == 0 && n != 16 {
				t.Errorf("%d relations, want those of 8 posts to 2 index documents", n)
			}
		})
	}
}

// Of two commands at once, one ends with an error, and feeds are whole.
func TestConcurrentHorizonChanges(t *testing.T) {
	t.Parallel()
	a := testkit.CopyOf(t, changing, atHorizon(t, 6))
	a.StoreHorizon(schema.Horizon{Feed: 6 * testkit.HorizonDay, Kept: 6 * testkit.HorizonDay})
	_, err := horizon.Change(t.Context(), a.Instance(), 3*testkit.HorizonDay, horizon.Options{
		Wait: func(context.Context, time.Duration) error {
			_, err := change(a, 2)
			return err
		},
	})
	if !errors.Is(err, horizon.ErrChanged) {
		t.Errorf("it ends with %v, want %v", err, horizon.ErrChanged)
	}
	if h := stored(a); h != (schema.Horizon{Feed: 2 * testkit.HorizonDay, Kept: 2 * testkit.HorizonDay}) {
		t.Errorf("the horizon is %+v", h)
	}
	a.WantJoin("r1", 3)
}

// A transaction runs again after the horizon has changed. Its writes use the current horizon.
func TestRetriedTransactionUsesCurrentHorizon(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(a *testkit.App){
		"a fanout and a direct relation": func(*testkit.App) {},
		"a refresh": func(a *testkit.App) {
			if err := a.Instance().Deliveries.Post(a.T.Context(), "p"); err != nil {
				a.T.Fatal(err)
			}
			a.Edit("p", firestore.Update{Path: "text", Value: "new"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := testkit.OpenApp(t, changing)
			a.StoreHorizon(schema.Horizon{Feed: testkit.HorizonDay, Kept: testkit.HorizonDay})
			a.Follow("r1", "ada")
			a.OK(a.Instance().Graph.Follow(t.Context(), "ada", "r1"))
			a.PostTo("p", "ada", "ada", time.Now().Add(-testkit.Young).Truncate(time.Microsecond), "eve")
			before(a)
			var index *social.System
			var stored sync.Once
			index = a.Instance(wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
				commit, ok := req.(*pb.CommitRequest)
				if !ok || commit.GetTransaction() == nil {
					return invoke(ctx, method, req, reply, cc, opts...)
				}
				stored.Do(func() { a.StoreHorizon(schema.Horizon{Feed: testkit.HorizonDay, Kept: 3 * testkit.HorizonDay}) })
				if h, err := index.DB.Horizons.Read(ctx); err != nil || h.Kept == 3*testkit.HorizonDay {
					return errors.Join(err, invoke(ctx, method, req, reply, cc, opts...))
				}
				index.DB.Horizons.Forget() // a minute has passed
				return status.Error(codes.Aborted, "contention")
			}})
			a.OK(index.Deliveries.Post(t.Context(), "p"))
			for path, r := range a.Documents(a.Client.Collection("_relations").Query) {
				if want := schema.ExpireAt(r["createdAt"].(time.Time), 3*testkit.HorizonDay); !want.Equal(r["expireAt"].(time.Time)) {
					t.Errorf("%s expires at %v, want %v", path, r["expireAt"], want)
				}
			}
			if n := a.Count("_relations"); n != 2 {
				t.Errorf("%d relations, want 2", n)
			}
		})
	}
}

// A relation is deleted each time the repair writes it: the stored horizon is not raised.
func TestHorizonIsNotRaisedWhileRelationsAreMissing(t *testing.T) {
	t.Parallel()
	a := testkit.CopyOf(t, changing, atHorizon(t, 6))
	a.StoreHorizon(schema.Horizon{Feed: 3 * testkit.HorizonDay, Kept: 3 * testkit.HorizonDay})
	_, err := horizon.Change(t.Context(), a.Instance(), 6*testkit.HorizonDay, horizon.Options{
		Wait: func(context.Context, time.Duration) error { return nil },
		Progress: func(doing string, _ int64) {
			if doing == "verify" {
				a.Must(a.Client.Doc("_relations/p5_00001").Delete(t.Context()))
			}
		},
	})
	if !errors.Is(err, horizon.ErrMissing) {
		t.Errorf("%v, want %v", err, horizon.ErrMissing)
	}
	if h := stored(a); h != (schema.Horizon{Feed: 3 * testkit.HorizonDay, Kept: 6 * testkit.HorizonDay}) {
		t.Errorf("the horizon is %+v", h)
	}
	a.WantJoin("r1", 3)
	if _, err := change(a, 6); err != nil {
		t.Error("again: ", err)
	}
}

// A repair with another key would restore purged followers: nothing is stored.
func TestHorizonChangeRequiresTombstoneKey(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, changing)
	a.OK(a.Instance().Graph.UseTombstoneKey(t.Context()))
	a.Config.TombstoneKey = "another-key-of-a-shell"
	if _, err := change(a, 3); !errors.Is(err, followers.ErrOtherKey) {
		t.Errorf("%v, want %v", err, followers.ErrOtherKey)
	}
	if h := stored(a); h != (schema.Horizon{}) {
		t.Errorf("the horizon is %+v", h)
	}
}

// Functions that have no horizon would not use one.
func TestHorizonChangeRequiresConfiguredHorizon(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true})
	if _, err := horizon.Change(t.Context(), a.Instance(), testkit.HorizonDay, horizon.Options{}); !errors.Is(err, horizon.ErrUnused) {
		t.Errorf("%v, want %v", err, horizon.ErrUnused)
	}
}

// All waiting callers share one read, and each of them ends with its own context.
func TestConcurrentReadersShareOneHorizonRead(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, changing)
	a.StoreHorizon(schema.Horizon{Feed: testkit.HorizonDay, Kept: testkit.HorizonDay})
	held := testkit.NewGate(t, func(any) bool { return true })
	var meter wire.Meter
	index := a.Instance(meter.Interceptor(), held.Interceptor())
	ctx, cancel := context.WithCancelCause(t.Context())
	impatient := make(chan error, 1)
	go func() {
		_, err := index.DB.Horizons.Read(ctx)
		impatient <- err
	}()
	held.Await()
	errEnough := errors.New("enough")
	cancel(errEnough)
	if err := <-impatient; !errors.Is(err, errEnough) {
		t.Errorf("who does not wait gets %v", err)
	}
	var all sync.WaitGroup
	for range 9 {
		all.Go(func() {
			if h, err := index.DB.Horizons.Read(t.Context()); err != nil || h.Kept != testkit.HorizonDay {
				t.Errorf("%v, %v", h, err)
			}
		})
	}
	held.Open()
	all.Wait()
	if used := meter.Counts(); used.Reads != 1 {
		t.Errorf("%v, want one read", used)
	}
}
