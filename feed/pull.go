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

// pull is the source of one page of a feed that is read without relations: the posts for
// those whom the reader follows, and those that name the reader, less what relations would
// not bring. Each post has one entry.
type pull struct {
	feed    *Feed
	reader  string
	follows follows
	newer   time.Time // see reading
	// asked is how many posts the queries were last asked for: where most may not be read,
	// each time for twice as many.
	asked int
	lists []list // one for each query; nil: none was made
}

// list is what a query has found.
type list struct {
	entries []entry
	more    bool // it goes on, with older ones
}

// beyond returns the entries of the list after a position.
func (l list) beyond(after position) []entry {
	at := entry{name: after.name, createdAt: after.createdAt}
	return slices.DeleteFunc(l.entries, func(e entry) bool { return after.name != "" && e.compare(at) <= 0 })
}

// entries makes the queries of [pull.queries], and merges what they find. Within a page, it
// makes those again whose posts run short. So posts of one query that may not be read do not
// make the others costly. It costs a read for each post found by each query, at least one a
// query.
func (p *pull) entries(ctx context.Context, after position, limit int) ([]entry, bool, error) {
	if schema.CheckAccountID(p.reader) != nil {
		return nil, false, nil // nobody can follow, or be named, with such an id
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
		if n == 0 && err == nil { // not even one post from each fits
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

// merge returns the posts in lists, newest first, each once, as far as the lists are
// complete and until limit of them may be read, and whether there may be more. A list that
// goes on is not empty.
func merge(lists []list, limit int) (found []entry, more bool) {
	var end *entry // the newest of those that lists end with, and go on after
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

// rank orders what several queries say of one post: what lets the reader in comes first,
// and an audience before a name.
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

// entry returns the entry of a post, of which the fields were read that decide. It has no
// post if the reader may not read it.
func (p *pull) entry(doc *firestore.DocumentSnapshot, fields []string) entry {
	post := schema.FieldsOf(doc, fields...)
	e := entry{name: doc.Ref.ID, stem: stemOf(schema.RelationID(doc.Ref.ID, schema.DirectIndex))}
	e.author, _ = post[schema.FieldUserID].(string)
	e.createdAt, _ = post[schema.FieldCreatedAt].(time.Time)
	if schema.CheckAccountID(e.author) != nil || schema.CheckPostID(e.name) != nil {
		return e // nobody gets such a post
	}
	// A damaged field lets nobody in. The post's event logs it.
	if audience, _ := schema.AudienceOf(e.author, post); p.follows.has(audience) {
		e.post, e.audience = e.name, audience
	} else if to, _ := schema.RecipientsOf(e.author, post, !p.feed.opts.NoOwnPosts); slices.Contains(to, p.reader) {
		e.post = e.name
	}
	return e
}
