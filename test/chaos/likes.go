package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// tallyKinds are what each run with tallies has.
var tallyKinds = []Kind{Like, Unlike, Comment, Uncomment}

// tallyWeights are beside weights: half of a run's operations are likes, and every fourth of these is taken back.
var tallyWeights = []weight{
	{180, (*maker).like},
	{60, (*maker).unlike},
	{40, (*maker).comment},
	{16, (*maker).uncomment},
	{12, (*maker).blockActor},
}

// like has somebody like a post; in every third case its author, and in every fifth up to nine times in turn.
func (m *maker) like() {
	m.onPost(func(n int) {
		p := m.posts[n]
		l := pair{m.account(), p.id}
		if m.rng.IntN(3) == 0 {
			l.follower = p.author
		}
		times := 1
		if m.rng.IntN(5) == 0 {
			times = 2 + m.rng.IntN(8)
		}
		for range times {
			m.toggleLike(l)
		}
	})
}

// toggleLike has who likes a post like it no longer, and somebody else like it.
func (m *maker) toggleLike(l pair) {
	kind := Like
	if m.likes[l] {
		kind = Unlike
		delete(m.likes, l)
	} else {
		m.likes[l] = true
		m.liked = append(m.liked, l)
	}
	m.add(Op{Kind: kind, User: l.follower, Post: l.author})
}

func (m *maker) unlike() {
	for len(m.liked) > 0 {
		n := m.rng.IntN(len(m.liked))
		l := m.liked[n]
		m.liked[n] = m.liked[len(m.liked)-1]
		m.liked = m.liked[:len(m.liked)-1]
		if m.likes[l] {
			m.toggleLike(l)
			return
		}
	}
	m.like()
}

// uncomment deletes a comment.
func (m *maker) uncomment() {
	if len(m.comments) == 0 {
		m.comment()
		return
	}
	n := m.rng.IntN(len(m.comments))
	op := m.comments[n]
	op.Kind, op.Audience = Uncomment, "" // the audience may be gone
	m.comments = slices.Delete(m.comments, n, n+1)
	m.add(op)
}

// blockActor has the author of a post block somebody who likes it or comments on it.
func (m *maker) blockActor() {
	for range tries {
		if len(m.liked) == 0 {
			break
		}
		l := m.liked[m.rng.IntN(len(m.liked))]
		if m.rng.IntN(2) == 0 && len(m.comments) > 0 {
			op := m.comments[m.rng.IntN(len(m.comments))]
			l = pair{op.User, op.Post}
		}
		for _, post := range m.posts {
			p := pair{l.follower, post.author}
			if post.id == l.author && p.follower != p.author && !m.blocked[p] && !m.deleted[p.follower] && !m.requests[p] {
				m.blockPair(p)
				return
			}
		}
	}
	m.comment()
}

// forgetLikes forgets the likes and comments of a post, or of an account.
func (m *maker) forgetLikes(id string) {
	for l := range m.likes {
		if l.follower == id || l.author == id {
			delete(m.likes, l)
		}
	}
	m.comments = slices.DeleteFunc(m.comments, func(op Op) bool { return op.User == id || op.Post == id })
}

// tallyEverything has one of each, so that no run is without.
func (m *maker) tallyEverything() {
	if m.Tallies {
		m.like()
		m.unlike()
		m.comment()
		m.uncomment()
	}
}

// errNoPost is what rules answer to a like or a comment of a post that is not there.
var errNoPost = errors.New("the post is gone")

// underPost writes a document below a post, as rules let a client do it: while the post is there. A comment is bound
// to the post's author and audience.
func underPost(ctx context.Context, client *firestore.Client, op Op) error {
	err := client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		docs, err := tx.GetAll([]*firestore.DocumentRef{client.Doc("posts/" + op.Post)})
		if err != nil {
			return err
		}
		if !docs[0].Exists() {
			return errNoPost
		}
		data := op.like()
		if op.Kind == Comment {
			data = op.comment()
			data["thread"] = threadOf(docs[0].Data())
		}
		return tx.Create(client.Doc(op.document()), data)
	})
	if errors.Is(err, errNoPost) || status.Code(err) == codes.AlreadyExists { // by an attempt whose answer was lost
		return nil
	}
	return err
}

// threadOf is what binds a comment to a post with these fields.
func threadOf(post map[string]any) string {
	audience, given := post["audience"]
	if !given {
		audience = post["userId"]
	}
	return fmt.Sprintf("%v/%v", post["userId"], audience)
}

// like is the document that Like creates.
func (o Op) like() map[string]any {
	data := now()
	data["userId"], data["postId"] = o.User, o.Post
	return data
}

// witness is an account that follows, and is followed by, whose numbers a server has overwritten.
const witness = "witness"

// witnessed are follows of accounts whose user document was overwritten. That has no event of its own, and takes their numbers:
// the next event of each number puts it back, and after these follows each has had one. An account that came back has an
// event, that of its deletion.
func witnessed(overwritten []Op) (all []Op) {
	for _, op := range overwritten {
		all = append(all, Op{Kind: Follow, User: witness, Author: op.User}, Op{Kind: Follow, User: op.User, Author: witness})
	}
	return all
}
