package uses

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/stories"
)

// recruitingVariables are the variables of docs/uses/team-newsfeed.md.
var recruitingVariables = schema.Config{NoOwnPosts: true,
	Feeds: []string{"items"}, Ranked: true, AuthorFields: []string{"name=authorName"}, RefFields: []string{"name=refNames"},
}

// founded is the time of all follows, before the first action.
var founded = stories.Day.Add(-time.Hour)

// company makes five people. Rita and tom are a team; sue is in their department and above tom; hank
// and olga are in another department. A group's posts are for its followers.
func (a app) company() {
	a.T.Helper()
	for _, person := range []string{"rita", "tom", "sue", "hank", "olga"} {
		a.Profile(person, fields{"name": person})
	}
	for group, members := range map[string][]string{"g_team_tech": {"rita", "tom"}, "g_dep_hr": {"rita", "tom", "sue"}, "g_dep_sales": {"hank", "olga"}} {
		a.Group(group, "sue")
		a.Profile(group, fields{"closed": true})
		for _, member := range members {
			a.followSince(member, group, founded)
		}
	}
	a.followSince("tom", "sue", founded)
	for group, name := range map[string]string{"g_applicant-17": "Ada", "g_position-3": "Engineer"} {
		a.Group(group, "sue")
		a.Profile(group, fields{"name": name, "closed": true})
	}
	a.followSince("rita", "g_applicant-17", founded) // rita is assigned to the applicant
	a.Settle()
}

// act writes an actor's action for a scope: a group, or the people named.
func (a app) act(id, actor, kind, scope string, minute int, about []string, to ...string) {
	a.T.Helper()
	action := fields{
		"userId": actor, "createdAt": stories.Day.Add(time.Duration(minute) * time.Minute), "audience": scope, "hidden": false, "kind": kind,
	}
	if len(about) > 0 {
		action["refs"] = about
	}
	if len(to) > 0 {
		action["to"] = to
	}
	a.set("posts/"+id, action)
}

func recruitingNewsfeed(w world) {
	a := w.start(recruitingVariables)
	a.company()
	applicant, position := []string{"g_applicant-17"}, []string{"g_applicant-17", "g_position-3"}

	// Scopes: a department, a team, some people.
	var want []string
	for n := range 27 {
		id := fmt.Sprintf("note-%02d", n)
		a.act(id, "sue", "noted", "g_dep_hr", n, nil)
		want = append([]string{id}, want...)
	}
	a.act("rated", "tom", "rated", "g_dep_hr", 100, applicant)
	a.Settle()
	// A backdated action costs one more read for each reader and for the author, to check that the follow
	// is older.
	a.wantCost("an action to three, with names", 22, 4, func() { a.act("moved", "rita", "moved", "g_dep_hr", 101, position) })
	a.act("called", "rita", "called", "g_team_tech", 102, position)
	a.act("offer", "sue", "offered", "", 103, position, "rita", "hank")
	a.Settle()
	a.wantTimeline("tom", append([]string{"called", "moved", "rated"}, want...)...)
	a.wantTimeline("rita", append([]string{"offer", "called", "moved", "rated"}, want...)...)
	a.wantTimeline("sue", append([]string{"moved", "rated"}, want...)...)
	a.wantTimeline("hank", "offer")
	a.wantTimeline("olga")

	// An item refers to its action, and copies nothing.
	if item := a.Data("users/tom/timeline/called"); item["post"] != "called" || item["fields"] != nil || item["refNames"] != nil {
		a.T.Errorf("the item has %v", item)
	}
	// Two round trips: the newest 25 items, and their actions by id.
	page, used := a.read(func() (feed.Page, error) { return a.feed().Timeline(a.T.Context(), "tom", 25, "") })
	if len(page) != 25 || used.Requests != 2 || used.Reads != 50 {
		a.T.Errorf("a page has %d actions and costs %v, want 25 with 50 reads in two requests", len(page), used)
	}

	// A comment lifts an action, for the department or for the commenter's followers. The action and the
	// items of other readers are not written.
	groups := []string{"timeline", "posts"}
	a.wantWritten(groups, func() {
		a.wantCost("a comment to the department", 18, 3, func() { a.comment("note-03", "c1", "sue", "g_dep_hr") })
	}, "users/rita/timeline/note-03", "users/tom/timeline/note-03", "users/sue/timeline/note-03")
	a.wantWritten(groups, func() {
		a.wantCost("a comment to those under the commenter", 11, 1, func() { a.comment("called", "c2", "sue", "") })
	}, "users/tom/timeline/called")
	a.wantWritten(groups, func() { a.comment("rated", "c4", "rita", "g_applicant-17") }, "users/rita/timeline/rated") // those assigned
	rest := slices.DeleteFunc(slices.Clone(want), func(p string) bool { return p == "note-03" })
	a.wantTimeline("tom", append([]string{"called", "note-03", "moved", "rated"}, rest...)...)
	a.wantTimeline("rita", append([]string{"rated", "note-03", "offer", "called", "moved"}, rest...)...)
	a.wantWritten(groups, func() { a.comment("note-04", "c3", "olga", "") }) // no reader of the action follows the commenter

	// Names follow a rename of the applicant, the position and the user. Items are not written.
	names := func(applicant, position, author string) {
		a.T.Helper()
		post := a.Data("posts/moved")
		refNames, _ := post["refNames"].(fields)
		if refNames["g_applicant-17"] != applicant || refNames["g_position-3"] != position || post["authorName"] != author {
			a.T.Errorf("moved is about %v, by %v", refNames, post["authorName"])
		}
	}
	names("Ada", "Engineer", "rita")
	a.wantWritten([]string{"timeline"}, func() {
		a.Profile("g_applicant-17", fields{"name": "Ada L."})
		a.Profile("g_position-3", fields{"name": "Senior Engineer"})
		a.Profile("rita", fields{"name": "Rita"})
	})
	names("Ada L.", "Senior Engineer", "Rita")

	// Slices are in the order of time, not of relevance. They have the actions whose scope includes the
	// reader.
	a.wantSlice("tom", "g_applicant-17", "called", "moved", "rated")
	a.wantSlice("rita", "g_position-3", "offer", "called", "moved")
	a.wantSlice("sue", "g_applicant-17", "offer", "called", "moved", "rated") // she owns the groups
	a.wantSlice("hank", "g_applicant-17", "offer")
	a.wantSlice("olga", "g_applicant-17")

	// A hidden action leaves all feeds, and returns when it is shown. A deletion deletes all items of the
	// action.
	for _, action := range []string{"rated", "note-03"} {
		a.Edit(action, firestore.Update{Path: "hidden", Value: true})
	}
	a.Settle()
	a.wantTimeline("sue", append([]string{"moved"}, rest...)...)
	for _, action := range []string{"rated", "note-03"} {
		a.Edit(action, firestore.Update{Path: "hidden", Value: false})
	}
	a.DeletePost("moved")
	a.DeletePost("offer")
	a.Settle()
	a.wantTimeline("sue", append([]string{"note-03", "rated"}, rest...)...) // the comment lifts it again
	a.wantTimeline("hank")
	a.wantSlice("tom", "g_applicant-17", "called", "rated")
	a.wantSound()
}

// A dead worker has left a job with a lease that runs out, and some readers without their item. Sweep,
// which Cloud Scheduler calls, finds the job.
func abortedJobsAreFound(w world) {
	a := w.start(recruitingVariables)
	a.company()
	a.act("rated", "tom", "rated", "g_dep_hr", 0, nil)
	a.Settle()
	a.remove("users/sue/timeline/rated")
	a.remove("users/tom/timeline/rated")
	a.Settle()
	until := time.Now().Add(5 * time.Second) // late enough that the job's own event, even a late one, finds the lease
	a.set("_functions/"+schema.TimelinePostJobID("rated"), fields{
		"kind": schema.KindTimelinePost, "args": fields{schema.ArgPost: "rated"}, "state": string(chunker.Running), "hop": 1,
		"lease": fields{"holder": "died", "until": until}, "wakeAt": until.Add(-time.Minute),
	})
	testkit.Until(a.T, "a job that Sweep wakes", func() bool {
		status, body := a.Call(http.MethodPost, "Sweep")
		return status == http.StatusOK && strings.Contains(body, `"woken":1`)
	})
	a.Settle()
	if job := a.Job(schema.TimelinePostJobID("rated")); job.State != chunker.Done {
		a.T.Errorf("the job is %s", job.State)
	}
	for _, reader := range []string{"rita", "tom", "sue"} {
		a.wantTimeline(reader, "rated")
	}
	a.wantSound()
}
