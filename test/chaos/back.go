package chaos

import (
	"context"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// purgePatience is how long an account that comes back in a phase of its purge waits for it.
const purgePatience = 20 * time.Second

// untilPurge waits until the purge of the account is in the phase that op names, or
// beyond: not for ever, as it may be done before anybody looks, and its events be late.
func untilPurge(ctx context.Context, client *firestore.Client, op Op) error {
	if op.Text == "" {
		return nil
	}
	patient, cancel := context.WithTimeout(ctx, purgePatience)
	defer cancel()
	wanted := 3 + slices.Index(phases, op.Text) // after receipt, timeline and following
	purges := client.Collection(chunker.DefaultCollection).Where("kind", "==", schema.KindPurge).Snapshots(patient)
	defer purges.Stop()
	for {
		snapshot, err := purges.Next()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case patient.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		for _, change := range snapshot.Changes {
			var job chunker.Job
			if err := change.Doc.DataTo(&job); err == nil && job.Args[schema.ArgAuthor] == op.User && job.Phase >= wanted {
				return nil
			}
		}
	}
}

// overwritesBefore are servers that overwrite the authors of posts once more: nobody
// but these posts finds out that the list is an older one.
func overwritesBefore(posts []Op) []Op {
	ops := make([]Op, len(posts))
	for n, p := range posts {
		ops[n] = Op{Kind: Overwrite, User: p.Author, Text: overwrites[1]}
	}
	return ops
}

// postsOfOverwritten are a post of each account that is there and whose user document
// a server overwrote, or that came back. That has no event of its own: the two fields
// that are gone are put back by whoever needs them next, and after these posts somebody has.
func postsOfOverwritten(ops []Op, at time.Time) []Op {
	var users []string
	gone, back := map[string]bool{}, map[string]bool{}
	for _, op := range ops {
		switch op.Kind {
		case Overwrite, Return, DeleteAccount:
			if !slices.Contains(users, op.User) {
				users = append(users, op.User)
			}
			gone[op.User] = op.Kind == DeleteAccount || gone[op.User] && op.Kind == Overwrite
			back[op.User] = back[op.User] || op.Kind == Return
		default:
		}
	}
	var posts []Op
	for n, u := range users {
		if !gone[u] {
			posts = append(posts, Op{Kind: CreatePost, Author: u, Audience: u, Post: lastPrefix + u, At: at.Add(time.Duration(n) * time.Microsecond), Text: "the last", Spared: back[u]})
		}
	}
	return posts
}

// lastPrefix begins the ids of these posts.
const lastPrefix = "last-of-"
