package oracle

import (
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// place computes the times at which an entry may stand: createdAt, or with ranking, a time of the post
// or of a comment, and no earlier than Least. A comment must lift the entry if the reader has followed
// the commenter, or the comment's audience, since before the comment. In addition, the follow's event
// was handled before the comment, because there was a rest between the two, or the follow alone brings
// the post: see broughtBy.
func (o *Oracle) place(reader string, p *Post) {
	p.Least = p.CreatedAt
	if !o.cfg.Ranked {
		p.Places = []time.Time{p.CreatedAt}
		return
	}
	for _, s := range o.posts[p.ID] {
		p.Places = append(p.Places, s.created)
	}
	for _, c := range o.comments[p.ID] {
		concerns, once := false, false
		for _, account := range []string{c.author, c.audience} {
			f, follows := o.follow(reader, account)
			concerns = concerns || follows && f.f.Before(c.at) && (o.rested(f.from, c.at) || o.broughtBy(reader, account, p.ID, c))
			once = once || len(o.follows[pair{reader, account}]) > 0
		}
		if once {
			p.Places = append(p.Places, c.at)
		}
		if concerns && c.there && c.at.After(p.Least) {
			p.Least = c.at
		}
	}
	slices.SortFunc(p.Places, time.Time.Compare)
}

// broughtBy reports whether only the follow of an account brings a post to a reader. Then the entry
// comes after the follow's event, and a comment lifts it in either order of events. The comment's
// event finds the entry, or the code that writes the entry finds the comment.
//
// In doubt, it returns false. Between two writes of a follow, there may have been an unfollow. With a
// cap, a post may be pushed out before a comment lifts it. And the code that writes an entry reads
// only the newest comments, for at most [schema.MaxMatches] accounts.
func (o *Oracle) broughtBy(reader, account, post string, c comment) bool {
	lives := o.follows[pair{reader, account}]
	if o.cfg.Cap > 0 || len(lives) != 1 || slices.ContainsFunc(lives[0].all, func(f time.Time) bool { return !f.Equal(lives[0].f) }) {
		return false
	}
	newest := slices.DeleteFunc(slices.Clone(o.comments[post]), func(other comment) bool { return other.at.Before(c.at) })
	if 2*len(newest) > schema.MaxMatches { // a comment concerns two accounts at most
		return false
	}
	return !slices.ContainsFunc(o.posts[post], func(p spell) bool {
		return p.audience != account || p.author == reader || slices.Contains(p.named, reader)
	})
}
