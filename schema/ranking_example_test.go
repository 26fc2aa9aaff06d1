package schema_test

import (
	"context"
	"fmt"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// A supervisor's comment lifts a post for the whole team, whoever of it follows the supervisor. And
// each comment lifts it for those who follow what the post is about.
//
// In function.go: functions.Register(FirestoreIndexes, supervisors).
func ExampleRanking() {
	// By the supervisor's id. Not by what the comment says of its author, who writes that.
	teams := map[string]string{"sue": "g_team_tech"}

	supervisors := func(o *schema.Config) {
		o.Ranking.Match = func(ctx context.Context, db *firestore.Client, c schema.Comment) ([]string, error) {
			accounts, err := schema.Ranking{}.Matches(ctx, db, c) // the commenter, and the comment's audience
			if team, ok := teams[c.Author]; ok {
				accounts = append(accounts, team)
			}
			return append(accounts, c.PostRefs...), err
		}
	}

	var options schema.Config
	supervisors(&options)
	ranking := options.Ranking
	about := []string{"g_applicant-17"}
	for _, author := range []string{"sue", "tom"} {
		accounts, err := ranking.Matches(context.Background(), nil, schema.Comment{Author: author, Audience: "g_dep_hr", PostRefs: about})
		fmt.Printf("%q %v\n", accounts, err)
	}
	// Output:
	// ["sue" "g_dep_hr" "g_team_tech" "g_applicant-17"] <nil>
	// ["tom" "g_dep_hr" "g_applicant-17"] <nil>
}
