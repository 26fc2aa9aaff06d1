package feed

import (
	"context"
	"fmt"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// blocks leaves out posts that name the reader, if the reader blocks their author. Functions take such posts from
// timelines and direct relations, within seconds. So blocks only looks at what the functions do not decide: at the posts
// that pull finds by name, and, in relations and pull, at posts for a group that the reader follows. Then all sources
// agree. Other posts for groups that the reader follows stay in the feed.
//
// If one of the two blocks the other, functions end their follows. Slices keep every post that the reader may read.
type blocks struct {
	feed   *Feed
	reader string
	known  map[string]bool // by author: whether the reader blocks them; only authors that the page has looked up
}

// names reports whether a post by another author names the reader. A damaged field names nobody.
func (b *blocks) names(author string, post map[string]any) bool {
	to, _ := schema.RecipientsOf(author, post, false)
	return author != b.reader && slices.Contains(to, b.reader)
}

// ofGroup reports whether an entry came by a group.
func ofGroup(e entry) bool { return e.audience != "" && e.audience != e.author }

// hide reports whether a post for a group, of an author who was looked up, is left out.
func (b *blocks) hide(e entry, post map[string]any) bool {
	return b != nil && ofGroup(e) && b.known[e.author] && b.names(e.author, post)
}

// leaveOut leaves out entries of posts that pull found by name, before the posts are read. It costs a read for
// each author of such posts that the page has not looked up yet.
func (b *blocks) leaveOut(ctx context.Context, found []entry) error {
	byName := func(e entry) bool { return e.post != "" && e.audience == "" && e.author != b.reader }
	var authors []string
	for _, e := range found {
		if byName(e) {
			authors = append(authors, e.author)
		}
	}
	err := b.lookUp(ctx, authors)
	for n, e := range found {
		if byName(e) && b.known[e.author] {
			found[n].post = ""
		}
	}
	return err
}

// lookAt looks up the authors of posts that name a reader who follows the group that the posts are for: the entries of
// these posts do not show the name. It costs the same as leaveOut.
func (b *blocks) lookAt(ctx context.Context, found []entry, posts map[string]*firestore.DocumentSnapshot) error {
	var authors []string
	for _, e := range found {
		if doc := posts[e.post]; doc != nil && ofGroup(e) && b.names(e.author, schema.FieldsOf(doc, schema.FieldTo)) {
			authors = append(authors, e.author)
		}
	}
	return b.lookUp(ctx, authors)
}

func (b *blocks) lookUp(ctx context.Context, authors []string) error {
	var refs []*firestore.DocumentRef
	for _, author := range authors {
		if _, known := b.known[author]; known || schema.CheckID(author) != nil || schema.CheckID(b.reader) != nil {
			continue
		}
		b.known[author] = false
		refs = append(refs, b.feed.client.Collection(b.feed.names.Users).Doc(b.reader).Collection(names.Blocked).Doc(author))
	}
	docs, err := b.feed.get(ctx, refs)
	if err != nil {
		return fmt.Errorf("batch get of blocks: %w", err)
	}
	for _, doc := range docs {
		b.known[doc.Ref.ID] = doc.Exists()
	}
	return nil
}
