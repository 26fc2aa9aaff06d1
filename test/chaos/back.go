package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	schemanames "example.com/relationindex/schema/names"
)

// purgePatience is the longest wait of a returning account for the end of its purge.
const purgePatience = 5 * time.Minute

var errMarked = errors.New("its purge is under way")

// comeBack creates an account again, as a server may: not while its purge is under way. So the account returns before the
// purge, or after it, and not an hour later, as clients do.
func comeBack(ctx context.Context, client *firestore.Client, u string) error {
	ctx, cancel := context.WithTimeout(ctx, purgePatience)
	defer cancel()
	for {
		err := client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			marks, err := tx.GetAll([]*firestore.DocumentRef{client.Collection(schemanames.Purging).Doc(u)})
			if err == nil && schema.IsPurging(marks[0]) {
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

// overwritesBefore returns an overwrite of the author of each post, with an older list, if ops had
// one. Only these posts make the functions find out that the list is older.
func overwritesBefore(ops, posts []Op) (all []Op) {
	for _, p := range posts {
		if slices.ContainsFunc(ops, func(op Op) bool { return op.Kind == Overwrite && op.User == p.Author }) {
			all = append(all, Op{Kind: Overwrite, User: p.Author, Text: overwrites[1]})
		}
	}
	return all
}

// postsOfOverwritten returns a post for each existing account that came back or whose user document a
// server overwrote. Such a write has no event of its own. The next function that needs the two missing
// fields restores them, and these posts make sure that one does.
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

// lastPrefix begins the ids of the posts of postsOfOverwritten.
const lastPrefix = "last-of-"
