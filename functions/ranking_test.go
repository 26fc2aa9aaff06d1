package functions_test

import (
	"testing"
	"time"

	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
	"example.com/relationindex/schema"
)

// With the Match of the example of schema.Ranking, a supervisor's comment lifts a post for the whole
// team, and any comment for those who follow what the post is about.
func TestASupervisorsCommentLiftsForTheTeam(t *testing.T) {
	t.Parallel()
	teams := map[string]string{"sue": "g_team_tech"}
	supervisors := func(o *schema.Options) {
		o.Timelines.Ranking.Match = func(c schema.Comment) []string {
			accounts := schema.Ranking{}.Matches(c)
			if team, ok := teams[c.Author]; ok {
				accounts = append(accounts, team)
			}
			return append(accounts, c.PostRefs...)
		}
	}
	for name, cfg := range map[string]config.Functions{
		"at once":  {Timeline: "items", Ranked: true, RelationsOff: true},
		"in steps": {Timeline: "items", Ranked: true, RelationsOff: true, InlineLimit: 1, Chunk: 1, Step: time.Nanosecond},
		"twice":    {Timeline: "items", Ranked: true, RelationsOff: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAppOn(t, testkit.InProcess{Custom: []func(*schema.Options){supervisors}}, cfg)
			a.Group("g_team_tech", "sue")
			a.Group("g_dep_hr", "sue")
			for _, account := range []string{"sue", "tom", "g_applicant-17"} {
				a.Profile(account, map[string]any{"name": account})
			}
			for _, member := range []string{"m1", "m2", "m3"} { // nobody of them follows sue
				a.followSince(member, "g_team_tech", day.Add(-time.Hour))
			}
			for _, reader := range []string{"m1", "m2", "m3", "other", "assigned"} {
				a.followSince(reader, "g_dep_hr", day.Add(-time.Hour))
			}
			a.followSince("assigned", "g_applicant-17", day.Add(-time.Hour))
			a.Settle()
			a.Must(a.Client.Doc("posts/rated").Set(t.Context(), map[string]any{
				"userId": "tom", "audience": "g_dep_hr", "hidden": false, "createdAt": day, "refs": []string{"g_applicant-17"},
			}))
			a.PostTo("newer", "tom", "g_dep_hr", day.Add(time.Hour))
			a.Settle()
			comment := func(post, id, author string) {
				t.Helper()
				a.Must(a.Client.Doc("posts/"+post+"/comments/"+id).Set(t.Context(), map[string]any{"userId": author, "createdAt": time.Now(), "text": "yes"}))
				a.Settle()
			}
			want := func(order []string, readers ...string) {
				t.Helper()
				for _, reader := range readers {
					a.wantTimeline(reader, order...)
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
