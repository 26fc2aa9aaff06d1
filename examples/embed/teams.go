package feeds

import (
	"context"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/social"
)

// Teams is a ranking. A comment lifts a post for the followers of the commenter and of the commenter's team. A server writes the
// team into the field group of teams/{uid}. The ranking costs a read for each comment.
func Teams() social.Ranking {
	return social.Ranking{Match: func(ctx context.Context, db *firestore.Client, c social.Comment) ([]string, error) {
		if c.Author == "" || strings.Contains(c.Author, "/") { // no account: no document can have this id
			return nil, nil
		}
		team, err := db.Collection("teams").Doc(c.Author).Get(ctx)
		if status.Code(err) == codes.NotFound {
			return []string{c.Author}, nil
		}
		if err != nil {
			return nil, err
		}
		var fields struct {
			Group string `firestore:"group"`
		}
		if err := team.DataTo(&fields); err != nil {
			return nil, err
		}
		return []string{c.Author, fields.Group}, nil
	}}
}
