package timelines_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// forms are the forms of timelines, without a backfill.
var forms = map[string]schema.Config{
	"items":   {NoOwnPosts: true, Feeds: []string{"relations", "items"}},
	"buckets": {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2},
	"ring":    {NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 2, Cap: 8},
	"days":    {NoOwnPosts: true, Feeds: []string{"relations", "days"}},
}

// eachForm runs a test for each form, without relations and with author and text copied.
func eachForm(t *testing.T, test func(t *testing.T, cfg schema.Config)) {
	t.Helper()
	t.Parallel()
	for name, cfg := range forms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg.Feeds, cfg.CopiedFields = schema.FeedsOf(cfg.Timeline(), false), []string{"text"}
			test(t, cfg)
		})
	}
}

// A post is written after the follow's response and handled before the follow's event. The follow delivers it.
func TestFollowDeliversPostsMadeSince(t *testing.T) {
	eachForm(t, func(t *testing.T, cfg schema.Config) {
		a := testkit.OpenApp(t, cfg)
		x := a.Instance()
		a.Post("old", "ada", time.Now().Add(-time.Hour))
		a.Post("before", "ada", time.Now().Add(-time.Minute)) // a phone's clock may be ahead
		for _, r := range []string{"r1", "r2"} {
			a.Follow(r, "ada")
		}
		a.Post("since", "ada", time.Now())
		for _, p := range []string{"since", "before", "old"} {
			a.OK(x.Deliveries.Post(t.Context(), p))
		}
		for range 2 {
			a.OK(x.Graph.Follow(t.Context(), "ada", "r1"))
			a.WantTimeline("r1", "since", "before")
		}
		a.OK(x.Graph.Follow(t.Context(), "ada", "r2"))
		a.WantTimeline("r2", "since", "before")
	})
}

// An old post reaches no new follower by an edit, a duplicate event, a rename or a late
// event. It reaches the readers who followed before it.
func TestOldPostReachesNoNewReader(t *testing.T) {
	eachForm(t, func(t *testing.T, cfg schema.Config) {
		cfg.AuthorFields, cfg.CopiedFields = []string{"name=authorName"}, []string{"text", "authorName"}
		a := testkit.NewApp(t, cfg)
		a.Profile("ada", map[string]any{"name": "Ada"})
		a.FollowSince("early", "ada", stories.Day)
		a.Settle()
		a.Post("p1", "ada", stories.Day.Add(time.Hour))
		a.Settle()
		a.FollowSince("undated", "ada", nil)
		a.Follow("new", "ada")
		a.Settle()
		a.WantTimeline("early", "p1")
		for what, do := range map[string]func(){
			"an edit": func() {
				a.Must(a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "text", Value: "edited"}}))
			},
			"a duplicate": func() { a.OK(a.Instance().Deliveries.Post(t.Context(), "p1")) },
			"a rename": func() {
				a.Must(a.Client.Doc("users/ada").Update(t.Context(), []firestore.Update{{Path: "name", Value: "Countess"}}))
			},
			"a late event": func() { a.Post("p0", "ada", stories.Day.Add(2*time.Hour)) },
			"hidden and shown": func() {
				for _, hidden := range []bool{true, false} {
					a.Must(a.Client.Doc("posts/p1").Update(t.Context(), []firestore.Update{{Path: "hidden", Value: hidden}}))
					a.Settle()
				}
			},
		} {
			do()
			a.Settle()
			for _, r := range []string{"new", "undated"} {
				if got := a.Timeline(r); len(got) != 0 {
					t.Errorf("after %s, %s has %v", what, r, got)
				}
			}
		}
		a.WantTimeline("early", "p0", "p1")
		if e := a.Timeline("early")[1]; e.Copies["text"] != "edited" || e.Copies["authorName"] != "Countess" {
			t.Errorf("the entry of the edited post is %+v", e)
		}
	})
}

// A late post reaches its earlier followers, and not the two who followed after it.
func TestLatePostSkipsFollowersWhoCameAfter(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	const n = 60
	for r := range n {
		a.FollowSince(fmt.Sprintf("r%02d", r), "ada", stories.Day.Add(time.Duration(r)*time.Minute))
	}
	a.Settle()
	a.Post("p1", "ada", stories.Day.Add((n-2)*time.Minute-schema.MaxAhead))
	a.Settle()
	for r := range n {
		if got, want := len(a.Timeline(fmt.Sprintf("r%02d", r))), r < n-2; (got == 1) != want {
			t.Errorf("r%02d has %d entries", r, got)
		}
	}
}

// A reader unfollows and follows again before either event. Their timeline has the posts made since
// the second follow, and none from the first.
func TestRefollowStartsAtItsOwnTime(t *testing.T) {
	eachForm(t, func(t *testing.T, cfg schema.Config) {
		a := testkit.OpenApp(t, cfg)
		x := a.Instance()
		a.FollowSince("r1", "ada", stories.Day)
		a.Follow("r2", "ada")
		a.OK(x.Graph.Follow(t.Context(), "ada", "r1"))
		a.OK(x.Graph.Follow(t.Context(), "ada", "r2"))
		a.Post("p1", "ada", stories.Day.Add(time.Hour))
		a.OK(x.Deliveries.Post(t.Context(), "p1"))
		a.WantTimeline("r1", "p1")
		a.Unfollow("r1", "ada")
		a.Follow("r1", "ada")
		a.Post("p2", "ada", time.Now())
		for range 2 {
			a.OK(x.Graph.Follow(t.Context(), "ada", "r1"))
			a.WantTimeline("r1", "p2")
		}
		a.OK(x.Deliveries.Post(t.Context(), "p1"))
		a.OK(x.Deliveries.Post(t.Context(), "p2"))
		a.WantTimeline("r1", "p2")
		a.WantTimeline("r2", "p2")
	})
}

// A rebuild's page adds a post, and fails before it lifts the post. The retried page lifts it.
func TestFailedRebuildPageKeepsLift(t *testing.T) {
	t.Parallel()
	var fail atomic.Bool
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, ReaderSettings: true}, failingComments(&fail))
	a.FollowSince("r1", "ada", stories.Day)
	a.FollowSince("r1", "tom", stories.Day)
	a.Settle()
	a.Post("lifted", "ada", stories.Day.Add(time.Hour))
	a.Post("newer", "ada", stories.Day.Add(2*time.Hour))
	a.Settle()
	a.Must(a.Client.Doc("posts/lifted/comments/c1").Set(t.Context(), map[string]any{"userId": "tom", "createdAt": firestore.ServerTimestamp, "text": "yes"}))
	a.Settle()
	for _, hide := range []string{"ada/*", "x/x"} {
		a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{hide}}))
		fail.Store(hide == "x/x")
		a.Settle()
	}
	if fail.Load() {
		t.Error("no comments were asked for")
	}
	a.WantTimeline("r1", "lifted", "newer")
}

// failingComments has one query of the comments on the post lifted fail once fail is set.
func failingComments(fail *atomic.Bool) wire.Interceptor {
	return wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return failingQuery{s, fail}, err
	}}
}

type failingQuery struct {
	grpc.ClientStream
	fail *atomic.Bool
}

func (s failingQuery) SendMsg(req any) error {
	if q, ok := req.(*pb.RunQueryRequest); ok && strings.HasSuffix(q.GetParent(), "/posts/lifted") && s.fail.CompareAndSwap(true, false) {
		return status.Error(codes.Unknown, "broken on purpose") // the client tries others again
	}
	return s.ClientStream.SendMsg(req)
}

// A rebuild adds the posts since each follow. A group's posts are queried apart from those of people,
// and the hidden posts of one account do not end the query for others.
func TestRebuildQueriesEachAudience(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Cap: 500, ReaderSettings: true, Backfill: 1})
	a.Group("g_1", "zoe")
	for _, author := range []string{"ada", "bob"} {
		a.Profile(author, map[string]any{"name": author})
	}
	// Ann's and Bob's posts to the group are older than the reader's follow of it.
	a.Silence() // the events of hidden posts would change nothing
	posts := a.Client.BulkWriter(t.Context())
	for n := range 1200 {
		_, err := posts.Set(a.Client.Doc(fmt.Sprint("posts/hidden", n)), map[string]any{"userId": "ada", "hidden": true, "createdAt": stories.Day.Add(time.Duration(100000+n) * time.Second)})
		a.OK(err)
	}
	posts.End()
	a.Wake()
	for n := range 3 {
		a.PostTo(fmt.Sprint("group", n), "bob", "g_1", stories.Day.Add(time.Duration(n)*time.Minute))
		a.Post(fmt.Sprint("bob", n), "bob", stories.Day.Add(time.Duration(n+10)*time.Minute))
	}
	a.Settle()
	for _, author := range []string{"ada", "bob", "g_1"} {
		a.Follow("r1", author)
	}
	a.Settle()
	a.WantTimeline("r1", "bob2", "group2")
	for _, hide := range []string{"*/*", "x/x"} {
		a.Must(a.Client.Doc("users/r1/settings/feed").Set(t.Context(), map[string]any{"hide": []string{hide}}))
		a.Settle()
	}
	a.WantTimeline("r1", "bob2", "group2")
}
