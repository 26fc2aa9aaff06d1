package chaos

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// adopt takes the follows and the posts of accounts that came back from what clients
// would find. Whether the purge had begun, and how far it had come, is not for a model
// to say: before it began, all is spared; later the follows go, and the posts that are
// left stay. So it is with the mention of the account in the posts of others. What feeds show has to agree with what is there, in each case.
func (m *Model) adopt(ctx context.Context, client *firestore.Client) error {
	if len(m.back) == 0 {
		return nil
	}
	for reader, authors := range m.Follows {
		for author := range authors {
			if m.back[reader] || m.back[author] {
				delete(authors, author)
			}
		}
	}
	for id, post := range m.posts {
		for u := range m.back {
			post = post.without(u)
		}
		if m.posts[id] = post; m.back[post.author] {
			delete(m.posts, id)
		}
	}
	if err := m.adoptDecided(ctx, client); err != nil {
		return err
	}
	follows, err := client.CollectionGroup("followers").Documents(ctx).GetAll()
	if err != nil {
		return fmt.Errorf("follows: %w", err)
	}
	for _, doc := range follows {
		if author, reader := doc.Ref.Parent.Parent.ID, doc.Ref.ID; m.back[author] || m.back[reader] {
			m.Apply(Op{Kind: Follow, User: reader, Author: author})
		}
	}
	for u := range m.back {
		posts, err := client.Collection("posts").Where("userId", "==", u).Documents(ctx).GetAll()
		if err != nil {
			return fmt.Errorf("posts of %s: %w", u, err)
		}
		for _, doc := range posts {
			entry := Entry{}
			if err := doc.DataTo(&entry); err != nil {
				return err
			}
			entry.Post = doc.Ref.ID
			mood, _ := doc.DataAt("mood") // nil: it has none
			_, many := mood.([]any)
			kind, _ := doc.DataAt("kind") // nil: it has none
			text, _ := kind.(string)
			var sent sending
			if err := doc.DataTo(&sent); err != nil {
				return err
			}
			_, err := doc.DataAt("audience")
			sent.Old = err != nil
			m.posts[entry.Post] = modelPost{author: u, entry: entry, kind: text, bare: many, sent: sent, idle: true}
			m.moved[entry.Post] = true
		}
	}
	for u := range m.back {
		posts, err := client.Collection("posts").Where("to", "array-contains", u).Select().Documents(ctx).GetAll()
		if err != nil {
			return fmt.Errorf("posts to %s: %w", u, err)
		}
		for _, doc := range posts {
			m.moved[doc.Ref.ID] = true
			if post, ok := m.posts[doc.Ref.ID]; ok && !slices.Contains(post.sent.To, u) {
				post.sent.To = append(post.sent.To, u)
				m.posts[doc.Ref.ID] = post
			}
		}
	}
	return nil
}

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
func postsOfOverwritten(ops []Op) []Op {
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
			at := time.Date(2029, 1, 1, 0, 0, 0, n*1000, time.UTC)
			posts = append(posts, Op{Kind: CreatePost, Author: u, Audience: u, Post: lastPrefix + u, At: at, Text: "the last", Spared: back[u]})
		}
	}
	return posts
}

// lastPrefix begins the ids of these posts.
const lastPrefix = "last-of-"

func isLast(post string) bool { return strings.HasPrefix(post, lastPrefix) }
