package oracle

import (
	"slices"
	"time"

	"example.com/relationindex/schema"
)

// place says where an entry may stand: at createdAt; with ranking, at a time that the post or a comment
// has had, and no lower than what is there says. A comment has to lift it for who has followed the
// commenter, or the comment's audience, since before it was made. The follow's event must have been handled
// by then: there was a rest between the two. Or the post comes by that follow alone: see broughtBy.
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

// broughtBy reports whether a post comes to a reader by their follow of an account alone. Then its entry comes
// after the follow's event. So a comment lifts it whichever event is first: the comment's event finds the entry,
// or whatever brings the entry finds the comment.
//
// If in doubt, it says no. Between two writes of a follow, there may have been an unfollow. With a cap, a post may
// be pushed out before it is lifted. And whatever brings an entry looks at the newest comments only, for at most
// [schema.MaxMatches] accounts.
func (o *Oracle) broughtBy(reader, account, post string, c comment) bool {
	lives := o.follows[pair{reader, account}]
	if o.cfg.Cap > 0 || len(lives) != 1 || slices.ContainsFunc(lives[0].all, func(f time.Time) bool { return !f.Equal(lives[0].f) }) {
		return false
	}
	newest := slices.DeleteFunc(slices.Clone(o.comments[post]), func(other comment) bool { return other.at.Before(c.at) })
	if 2*len(newest) > schema.MaxMatches { // each concerns two accounts at most
		return false
	}
	return !slices.ContainsFunc(o.posts[post], func(p spell) bool {
		return p.audience != account || p.author == reader || slices.Contains(p.named, reader)
	})
}
