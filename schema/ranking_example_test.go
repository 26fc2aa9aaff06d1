package schema_test

import (
	"fmt"

	"example.com/relationindex/schema"
)

// A supervisor's comment lifts a post for the whole team, whoever of it follows the supervisor. And
// each comment lifts it for those who follow what the post is about.
//
// In function.go: functions.Register(FirestoreIndexes, supervisors).
func ExampleRanking() {
	// By the supervisor's id. Not by what the comment says of its author, who writes that.
	teams := map[string]string{"sue": "g_team_tech"}

	supervisors := func(o *schema.Options) {
		o.Timelines.Ranking.Match = func(c schema.Comment) []string {
			accounts := schema.Ranking{}.Matches(c) // the commenter, and the comment's audience
			if team, ok := teams[c.Author]; ok {
				accounts = append(accounts, team)
			}
			return append(accounts, c.PostRefs...)
		}
	}

	var options schema.Options
	supervisors(&options)
	ranking := options.Timelines.Ranking
	about := []string{"g_applicant-17"}
	fmt.Printf("%q\n", ranking.Matches(schema.Comment{Author: "sue", Audience: "g_dep_hr", PostRefs: about}))
	fmt.Printf("%q\n", ranking.Matches(schema.Comment{Author: "tom", Audience: "g_dep_hr", PostRefs: about}))
	// Output:
	// ["sue" "g_dep_hr" "g_team_tech" "g_applicant-17"]
	// ["tom" "g_dep_hr" "g_applicant-17"]
}
