package social_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// With a Match that reads the supervisor's team from the database, a supervisor's comment lifts a post for the whole
// team, and any comment for those who follow what the post is about. When Match fails, the event comes again.
func TestSupervisorCommentLiftsPostForTeam(t *testing.T) {
	t.Parallel()
	var failed atomic.Int64
	supervisors := func(o *schema.Config) {
		o.Ranking.Match = func(ctx context.Context, db *firestore.Client, c schema.Comment) ([]string, error) {
			accounts, err := schema.Ranking{}.Matches(ctx, db, c)
			if err != nil || failed.Add(1) == 1 {
				return nil, errors.Join(err, errors.New("the first call fails"))
			}
			team, err := db.Doc("teams/" + c.Author).Get(ctx)
			if status.Code(err) == codes.NotFound {
				return append(accounts, c.PostRefs...), nil
			}
			if err != nil {
				return nil, err
			}
			return append(append(accounts, team.Data()["group"].(string)), c.PostRefs...), nil
		}
	}
	for name, cfg := range map[string]schema.Config{
		"at once":  {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true},
		"in steps": {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, InlineLimit: 1, Chunk: 1, Step: time.Nanosecond},
		"twice":    {NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			supervisors(&cfg)
			a := testkit.NewApp(t, cfg)
			a.Must(a.Client.Doc("teams/sue").Set(t.Context(), map[string]any{"group": "g_team_tech"}))
			a.Group("g_team_tech", "sue")
			a.Group("g_dep_hr", "sue")
			for _, account := range []string{"sue", "tom", "g_applicant-17"} {
				a.Profile(account, map[string]any{"name": account})
			}
			for _, member := range []string{"m1", "m2", "m3"} { // nobody of them follows sue
				a.FollowSince(member, "g_team_tech", stories.Day.Add(-time.Hour))
			}
			for _, reader := range []string{"m1", "m2", "m3", "other", "assigned"} {
				a.FollowSince(reader, "g_dep_hr", stories.Day.Add(-time.Hour))
			}
			a.FollowSince("assigned", "g_applicant-17", stories.Day.Add(-time.Hour))
			a.Settle()
			a.Must(a.Client.Doc("posts/rated").Set(t.Context(), map[string]any{
				"userId": "tom", "audience": "g_dep_hr", "hidden": false, "createdAt": stories.Day, "refs": []string{"g_applicant-17"},
			}))
			a.PostTo("newer", "tom", "g_dep_hr", stories.Day.Add(time.Hour))
			a.Settle()
			comment := func(post, id, author string) {
				t.Helper()
				a.Must(a.Client.Doc("posts/"+post+"/comments/"+id).Set(t.Context(), map[string]any{"userId": author, "createdAt": time.Now(), "text": "yes"}))
				a.Settle()
			}
			want := func(order []string, readers ...string) {
				t.Helper()
				for _, reader := range readers {
					a.WantTimeline(reader, order...)
				}
			}
			comment("rated", "c1", "tom") // is no supervisor
			want([]string{"newer", "rated"}, "m1", "m2", "m3", "other")
			want([]string{"rated", "newer"}, "assigned")
			comment("rated", "c2", "sue")
			want([]string{"rated", "newer"}, "m1", "m2", "m3", "assigned")
			want([]string{"newer", "rated"}, "other")
		})
	}
}

// A comment on a post that reaches nobody, or only those whom it names, walks nobody's followers, however many the
// commenter and the comment's audience have.
func TestCommentOnPostWithoutAudienceReadsNoFollowers(t *testing.T) {
	t.Parallel()
	a := testkit.OpenApp(t, schema.Config{NoOwnPosts: true, Feeds: []string{"items"}, Ranked: true, InlineLimit: 5, Chunk: 1})
	x := a.Instance()
	for n := range 20 {
		r := fmt.Sprintf("r%02d", n)
		a.Follow(r, "eve")
		a.OK(x.Graph.Follow(t.Context(), "eve", r))
	}
	comment := func(p string) wire.Counts {
		t.Helper()
		a.OK(x.Deliveries.Post(t.Context(), p))
		a.Must(a.Client.Doc("posts/"+p+"/comments/c").Set(t.Context(), map[string]any{"userId": "eve", "audience": "eve", "createdAt": stories.Day.Add(time.Hour)}))
		meter := &wire.Meter{}
		a.OK(a.Instance(meter.Interceptor()).Ranking.Comment(t.Context(), p, "c"))
		return meter.Counts()
	}
	testkit.Profiles(t, a.Client, "r00", "stranger")
	a.PostTo("nobody", "ada", "", stories.Day)
	if used := comment("nobody"); used.Reads > 3 || used.Writes > 0 {
		t.Errorf("to nobody, a comment costs %v", used)
	}
	a.PostTo("named", "ada", "", stories.Day, "r00", "stranger")
	if used := comment("named"); used.Reads > 3+2+1 || used.Writes != 1 {
		t.Errorf("to two, one of whom follows, a comment costs %v", used)
	}
}
