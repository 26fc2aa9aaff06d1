package feed

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// pull is the source of one page of a feed that is read without relations: the posts for the accounts that the reader
// follows, and the posts that name the reader. It leaves out posts that relations would not bring. Each post has one
// entry.
type pull struct {
	feed    *Feed
	reader  string
	follows follows
	newer   time.Time // see reading
	// asked is the limit of the last queries. While most posts may not be read, the limit doubles each time.
	asked int
	lists []list // one for each query; nil: none was made
}

// list holds the results of a query.
type list struct {
	entries []entry
	more    bool // older entries follow
}

// beyond returns the entries of the list after a position.
func (l list) beyond(after position) []entry {
	at := entry{name: after.name, createdAt: after.createdAt}
	return slices.DeleteFunc(l.entries, func(e entry) bool { return after.name != "" && e.compare(at) <= 0 })
}

// entries runs the queries of [pull.queries], and merges their results. Within a page, it repeats only the queries that
// run out of posts. So unreadable posts in one query do not make the others costly. It costs a read for each post found
// by each query, at least one a query.
func (p *pull) entries(ctx context.Context, after position, limit int) ([]entry, bool, error) {
	if schema.CheckAccountID(p.reader) != nil {
		return nil, false, nil // an account with such an id cannot follow or be named
	}
	p.asked = min(max(limit, 2*p.asked), MaxLimit)
	queries := p.queries()
	if p.lists == nil {
		p.lists = slices.Repeat([]list{{more: true}}, len(queries))
	}
	short := map[int]pullQuery{}
	for n, l := range p.lists {
		p.lists[n].entries = l.beyond(after)
		if l.more && 2*len(p.lists[n].entries) < limit {
			short[n] = queries[n]
		}
	}
	again, n, _, err := thatFit(ctx, p.asked, pageBytes, func(ctx context.Context, n int) ([]list, error) {
		return p.run(ctx, short, after, n)
	})
	for at, q := range short {
		if n == 0 && err == nil { // not even one post of each query fits
			again, err = p.run(ctx, map[int]pullQuery{at: q}, after, 1)
		}
		if err != nil {
			return nil, false, fmt.Errorf("query of posts: %w", err)
		}
		p.lists[at] = again[at]
	}
	found, more := merge(p.lists, limit)
	return found, more, nil
}

// merge returns the posts in lists, newest first, each once. It stops where a list is incomplete, or after limit posts
// that may be read. more reports whether there may be others. A list with more is not empty.
func merge(lists []list, limit int) (found []entry, more bool) {
	var end *entry // the newest among the last entries of incomplete lists
	for _, l := range lists {
		found = append(found, l.entries...)
		if last := len(l.entries) - 1; l.more && (end == nil || l.entries[last].compare(*end) < 0) {
			end = &l.entries[last]
		}
	}
	slices.SortFunc(found, func(a, b entry) int { return cmp.Or(a.compare(b), cmp.Compare(a.rank(), b.rank())) })
	found = slices.CompactFunc(found, func(a, b entry) bool { return a.name == b.name })
	readable := 0
	for i, e := range found {
		if readable == limit || end != nil && e.compare(*end) > 0 {
			return found[:i], true
		}
		if e.post != "" {
			readable++
		}
	}
	return found, end != nil
}

// compare orders the entries of pull.
func (e entry) compare(other entry) int {
	return cmp.Or(other.createdAt.Compare(e.createdAt), strings.Compare(other.name, e.name))
}

// rank orders several entries of one post: an entry that gives the reader access comes first, and an audience comes
// before a name.
func (e entry) rank() int {
	switch {
	case e.post == "":
		return 2
	case e.audience == "":
		return 1
	default:
		return 0
	}
}

// entry returns the entry of a post whose deciding fields were read. The entry has no post if the reader may not read
// the post.
func (p *pull) entry(doc *firestore.DocumentSnapshot, fields []string) entry {
	post := schema.FieldsOf(doc, fields...)
	e := entry{name: doc.Ref.ID, stem: stemOf(schema.RelationID(doc.Ref.ID, schema.DirectIndex))}
	e.author, _ = post[schema.FieldUserID].(string)
	e.createdAt, _ = post[schema.FieldCreatedAt].(time.Time)
	if schema.CheckAccountID(e.author) != nil || schema.CheckPostID(e.name) != nil {
		return e // nobody gets such a post
	}
	// A damaged field gives nobody access. The post's event logs the damage.
	if audience, _ := schema.AudienceOf(e.author, post); p.follows.has(audience) {
		e.post, e.audience = e.name, audience
	} else if to, _ := schema.RecipientsOf(e.author, post, !p.feed.opts.NoOwnPosts); slices.Contains(to, p.reader) {
		e.post = e.name
	}
	return e
}
