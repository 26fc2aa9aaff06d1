package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	schemanames "example.com/relationindex/schema/names"
)

// purgePatience is how long an account that comes back waits for the end of its purge.
const purgePatience = 5 * time.Minute

var errMarked = errors.New("its purge is under way")

// comeBack creates an account again, as rules let a client do it: not while the purge's mark is
// there. So it comes before the purge, or after it.
func comeBack(ctx context.Context, client *firestore.Client, u string) error {
	ctx, cancel := context.WithTimeout(ctx, purgePatience)
	defer cancel()
	for {
		err := client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			marks, err := tx.GetAll([]*firestore.DocumentRef{client.Collection(schemanames.Purging).Doc(u)})
			if err == nil && marks[0].Exists() {
				err = errMarked
			}
			if err != nil {
				return err
			}
			return tx.Set(client.Collection("users").Doc(u), profile(u), firestore.MergeAll)
		})
		if !errors.Is(err, errMarked) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s comes back: %w: %w", u, context.Cause(ctx), err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// overwritesBefore are servers that overwrite the authors of posts once more, if they did so before: nobody
// but these posts finds out that the list is an older one.
func overwritesBefore(ops, posts []Op) (all []Op) {
	for _, p := range posts {
		if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == Overwrite && op.User == p.Author }) {
			all = append(all, Op{Kind: Overwrite, User: p.Author, Text: overwrites[1]})
		}
	}
	return all
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
