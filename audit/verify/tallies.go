package verify

import (
	"context"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/tallies"
)

// checkTallies checks invariant 6 for all accounts and posts, or for one account, its newest posts and its
// notifications.
func (v *check) checkTallies(ctx context.Context) error {
	if !v.db.Config.Tallies() {
		return nil
	}
	t := &tallyCheck{check: v, since: time.Now().Add(-tallies.Kept), seen: map[tallies.Subject]bool{}}
	checked, ctx := errgroup.WithContext(ctx)
	checked.SetLimit(verifyParallel)
	t.group, t.ctx = checked, ctx
	walk := t.all
	if v.only != "" {
		walk = t.one
	}
	err := walk()
	if failed := checked.Wait(); failed != nil {
		return failed
	}
	return err
}

// tallyCheck is the walk over all numbers and notifications.
type tallyCheck struct {
	*check
	ctx   context.Context //nolint:containedctx // of the group
	group *errgroup.Group
	since time.Time                // older events cause no notification
	seen  map[tallies.Subject]bool // of one account or post
	told  sync.Map                 // notifications that are wrong: both of an account and of a post, or of one alone
}

// add checks a subject once. about says to whom the subject belongs.
func (t *tallyCheck) add(about Violation, s tallies.Subject) {
	if t.seen[s] {
		return
	}
	t.seen[s] = true
	t.group.Go(func() error {
		wrong, err := t.tallies.Check(t.ctx, s)
		if err != nil {
			return err
		}
		t.check.seen(&t.count.Tallies, 1)
		again := false
		if wrong != nil && s.Number == "" {
			_, again = t.told.LoadOrStore(s, true)
		}
		if wrong != nil && !again {
			about.Invariant, about.Document, about.Tally = 6, wrong.Document.Path, s
			t.violation(about, "%s", wrong.Problem)
		}
		return nil
	})
}

// all walks all accounts and posts.
func (t *tallyCheck) all() error {
	c := t.db.Config.Collections()
	for user, err := range store.Documents(t.ctx, t.db.Client.Collection(c.Users).OrderBy(firestore.DocumentID, firestore.Asc).Select()) {
		if err == nil {
			clear(t.seen)
			err = t.account(user.Ref.ID)
		}
		if err != nil {
			return err
		}
	}
	q := t.db.Client.Collection(c.Posts).OrderBy(firestore.DocumentID, firestore.Asc).Select(postFields()...)
	for post, err := range store.Documents(t.ctx, q) {
		if err != nil {
			return err
		}
		clear(t.seen)
		t.post(post)
	}
	return nil
}

// one walks the account of the check, and its newest posts.
func (t *tallyCheck) one() error {
	if err := t.account(t.only); err != nil {
		return err
	}
	all := t.db.Client.Collection(t.db.Config.Collections().Posts)
	newest := func(q firestore.Query) firestore.Query {
		q = schema.NewestFirst(q).Select(postFields()...)
		if t.Newest > 0 {
			q = q.Limit(t.Newest)
		}
		return q
	}
	for post, err := range store.Documents(t.ctx, newest(all.Where(schema.FieldUserID, "==", t.only))) {
		if err != nil {
			return err
		}
		t.post(post)
	}
	if !t.db.Config.Notifications {
		return nil
	}
	for post, err := range store.Documents(t.ctx, newest(all.Where(schema.FieldTo, "array-contains", t.only).Where(schema.FieldCreatedAt, ">=", t.since))) {
		if err != nil {
			return err
		}
		author := schema.TextOf(post, schema.FieldUserID)
		t.add(Violation{Author: t.only, Post: post.Ref.ID}, tallies.Notification(t.only, tallies.Mention, author))
	}
	return nil
}

// account adds the numbers of an account, and its notifications that are not about posts: requests, the days with new
// followers, and each stored notification.
func (t *tallyCheck) account(u string) error {
	about := Violation{Author: u}
	for _, s := range []tallies.Subject{tallies.Followers(u), tallies.Following(u), tallies.Posts(u)} {
		t.add(about, s)
	}
	if !t.db.Config.Notifications || schema.CheckAccountID(u) != nil || schema.IsGroup(u) {
		return nil
	}
	for told, err := range t.tallies.Told(t.ctx, u) {
		if err != nil {
			return err
		}
		t.add(about, told)
	}
	return nil
}

// post adds the numbers of a post, and the notifications about it.
func (t *tallyCheck) post(doc *firestore.DocumentSnapshot) {
	p := doc.Ref.ID
	post, err := posts.Decode(t.db.Config, doc)
	about := Violation{Author: post.Author, Post: p}
	t.add(about, tallies.Likes(p))
	t.add(about, tallies.Comments(p))
	if err != nil {
		return
	}
	t.add(about, tallies.Notification(post.Author, tallies.Like, p))
	t.add(about, tallies.Notification(post.Author, tallies.Comment, p))
	for _, u := range post.Recipients {
		if u != post.Author && t.only == "" {
			t.add(Violation{Author: u, Post: p}, tallies.Notification(u, tallies.Mention, post.Author))
		}
	}
}

// postFields are the fields of a post that decide whom it names.
func postFields() []string { return append(names.PostFields(), names.FieldKind) }
