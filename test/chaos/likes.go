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

// tallyKinds are kinds of operations that each run with tallies has.
var tallyKinds = []Kind{Like, Unlike, Comment, Uncomment}

// tallyWeights are added to weights. Half of a run's operations are likes, and every fourth like is
// undone.
var tallyWeights = []weight{
	{180, (*maker).like},
	{60, (*maker).unlike},
	{40, (*maker).comment},
	{16, (*maker).uncomment},
	{12, (*maker).blockActor},
}

// like likes a post, in every third case by its author. In every fifth case, the like is then undone
// and made again, up to nine writes in all.
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

// toggleLike makes a like, or deletes it if it exists.
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

// blockActor makes a post's author block somebody who likes the post or comments on it.
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

// forgetLikes removes the likes and comments of a post or an account from the maker's data.
func (m *maker) forgetLikes(id string) {
	for l := range m.likes {
		if l.follower == id || l.author == id {
			delete(m.likes, l)
		}
	}
	m.comments = slices.DeleteFunc(m.comments, func(op Op) bool { return op.User == id || op.Post == id })
}

// tallyEverything adds one of each kind, so that no run is without.
func (m *maker) tallyEverything() {
	if m.Tallies {
		m.like()
		m.unlike()
		m.comment()
		m.uncomment()
	}
}

// errNoPost is the rules' answer to a like or a comment on a missing post.
var errNoPost = errors.New("the post is gone")

// underPost writes a document below a post, as the rules allow: while the post exists. A comment names
// the post's author and audience.
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
	if errors.Is(err, errNoPost) || status.Code(err) == codes.AlreadyExists { // written by an attempt whose answer was lost
		return nil
	}
	return err
}

// threadOf returns the thread field of comments on a post with these fields: author and audience.
func threadOf(post map[string]any) string {
	audience, given := post["audience"]
	if !given {
		audience = post["userId"]
	}
	return fmt.Sprintf("%v/%v", post["userId"], audience)
}

// like returns the document that Like creates.
func (o Op) like() map[string]any {
	data := now()
	data["userId"], data["postId"] = o.User, o.Post
	return data
}

// witness is an account that follows each account with overwritten numbers, and is followed by it.
const witness = "witness"

// witnessed returns follows to and from accounts whose user document was overwritten. That write has
// no event of its own, and deletes the account's numbers. The next event of each number restores that
// number. These follows make sure that each number has an event. An account that came back has an
// event: its deletion.
func witnessed(overwritten []Op) (all []Op) {
	for _, op := range overwritten {
		all = append(all, Op{Kind: Follow, User: witness, Author: op.User}, Op{Kind: Follow, User: op.User, Author: witness})
	}
	return all
}
