package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"example.com/relationindex/readers"
)

// Margin is how far the clock of a phone may be ahead. A post's createdAt comes from such a clock.
const Margin = 5 * time.Minute

// Config describes which posts come to a reader. With the zero value, a follow brings no earlier posts
// to a timeline.
type Config struct {
	All      bool          // all posts of followed accounts, whenever the follow was made: relations
	Backfill int           // number of posts that a follow brings
	Cap      int           // number of entries that a timeline keeps at least; 0: all
	Own      bool          // authors see their own posts
	Groups   bool          // posts for a followed audience come even if they name a reader who blocks the author: relations that clients query
	Keep     bool          // posts that a follow brought stay after an unfollow, but not while one of the two blocks the other
	Settings bool          // readers' settings count
	Idle     time.Duration // absence after which a reader gets nothing until they return; 0: never
	Expire   time.Duration // after createdAt; 0: never
	Ranked   bool          // comments lift
	// Shows returns the fields of a post that an entry shows, by the names of [Entry.Shows]; nil: none.
	Shows func(fields map[string]any) map[string]string
}

// Oracle computes timelines for the readers of a history. It is safe for concurrent use.
type Oracle struct {
	*world
	cfg Config
}

// New returns the oracle for the present state of a history.
func New(h *History, cfg Config, now time.Time) *Oracle { return &Oracle{sorted(h, now), cfg} }

// Post is a post that a reader may have.
type Post struct {
	ID, Author, Kind string
	Audience         string // the audience that brings it; "": it names the reader, or is their own
	CreatedAt        time.Time
	Shows            map[string]string
	Must             bool
	Why              string // reason why it must or may be there
	Hidden           bool   // marked as hidden by the reader
	Least            time.Time
	Places           []time.Time // sorted; the entry's time is one of these, from Least on
}

// Reader has the posts that one reader's timeline must and may hold.
type Reader struct {
	Posts    map[string]Post
	LeftOut  int  // number of posts that only the reader's settings keep out
	Idle     bool // no post is due
	Settings readers.Settings
	Decided  time.Time // last write of their settings; zero: none, or settings do not count
	ReadAt   time.Time // time up to which they have read; zero: none, or it does not count
	cap      int
	ways     map[string][]way
	world    *world
}

// way is a time in which a reader may read a post, and the reason.
type way struct {
	span
	audience string // "": by name, or as the author
	created  time.Time
	may      bool   // a timeline may hold it
	why      string // why it may
	until    time.Time
}

// Reader returns the posts that a reader's timeline must and may hold.
func (o *Oracle) Reader(reader string) Reader {
	r := Reader{Posts: map[string]Post{}, cap: o.cfg.Cap, world: o.world, ways: o.waysOf(reader)}
	if o.cfg.Settings {
		r.Settings, r.Decided, r.ReadAt = o.settings[reader], o.decided[reader], o.readAt[reader]
	}
	r.Idle = o.cfg.Idle > 0 && !r.Settings.SeenAt.IsZero() && o.now.Sub(r.Settings.SeenAt) > o.cfg.Idle
	for id, ways := range r.ways {
		p, ok := o.lastly(id)
		if !ok {
			continue
		}
		post := Post{ID: id, Author: p.author, Kind: p.kind, CreatedAt: p.created, Hidden: o.cfg.Settings && o.hides[pair{reader, id}]}
		if post.Why, post.Must, ok = o.judge(reader, p, ways); !ok {
			continue
		}
		if r.Settings.Hides(p.author, p.kind) {
			r.LeftOut++
			continue
		}
		if post.Audience = p.audience; o.names(reader, p) {
			post.Audience = ""
		}
		if r.Idle || o.cfg.Expire > 0 && o.now.Sub(p.created) > o.cfg.Expire {
			post.Must = false
		}
		if o.cfg.Shows != nil {
			post.Shows = o.cfg.Shows(p.fields)
		}
		o.place(reader, &post)
		r.Posts[id] = post
	}
	return r
}

// names reports whether a post is for a reader whether or not they follow.
func (o *Oracle) names(reader string, p spell) bool {
	if reader == p.author {
		return o.cfg.Own
	}
	return slices.Contains(p.named, reader) && !o.block(reader, p.author)
}

// block reports whether a reader blocks an author.
func (o *Oracle) block(reader, author string) bool {
	blocks := o.blocks[pair{reader, author}]
	return len(blocks) > 0 && o.lasts(blocks[len(blocks)-1])
}

// judge returns whether a reader must have a post that is readable now, and why. ok is false if they
// may not have it.
func (o *Oracle) judge(reader string, p spell, ways []way) (why string, must, ok bool) {
	named := o.names(reader, p)
	life, follows := o.follow(reader, p.audience)
	blocks := o.block(reader, p.author)
	switch {
	case named && reader == p.author:
		return "it is their own", true, true
	case blocks && !o.cfg.Groups && reader != p.author && slices.Contains(p.named, reader): // even if they follow its audience
		return "", false, false
	case follows && o.cfg.All:
		return "they follow " + p.audience, true, true
	case follows && p.created.After(life.f.Add(-Margin)):
		return fmt.Sprintf("they follow %s since %s", p.audience, clock(life.f)), true, true
	case follows && o.newest(p.audience, life, o.cfg.Backfill).always[p.post]:
		return fmt.Sprintf("it has been among the newest %d of %s since they follow", o.cfg.Backfill, p.audience), true, true
	case named:
		since, exists := o.profiles[reader]
		return "it names them", o.cfg.All || exists && since.Before(o.posts[p.post][0].from), true
	case !follows && (!o.cfg.Keep || o.block(reader, p.audience) || o.block(p.audience, reader)):
		return "", false, false
	}
	// A post may stay if the reader had it before, and, as far as handlers can tell, could read it all the
	// time since.
	sorted := slices.SortedFunc(slices.Values(ways), func(a, b way) int { return b.to.Compare(a.to) })
	from := o.now
	for _, w := range sorted {
		if !o.cfg.Keep && w.to.Before(from) && o.rested(w.to, from) {
			break
		}
		if w.from.Before(from) {
			from = w.from
		}
	}
	for _, w := range sorted {
		if w.may && !w.until.Before(from) {
			return w.why, false, true
		}
	}
	return "", false, false
}

// waysOf returns, by post, the ways in which a reader may have read it.
func (o *Oracle) waysOf(reader string) map[string][]way {
	ways := map[string][]way{}
	for _, audience := range o.followed[reader] {
		for _, life := range o.follows[pair{reader, audience}] {
			if o.cfg.Keep && life.to.Before(o.now) {
				life.to = o.nextRest(life.to) // posts come until the unfollow is handled, and stay
			}
			old := o.newest(audience, life, o.cfg.Backfill)
			for _, p := range o.sent[audience] {
				common, ok := p.common(life.span)
				if !ok {
					continue
				}
				w := way{span: common, audience: audience, created: p.created, until: common.to}
				until, lately := old.lately[p.post]
				switch {
				case o.cfg.All || p.created.After(life.earliest.Add(-Margin)):
					w.may, w.why = true, fmt.Sprintf("they follow %s since %s", audience, clock(life.earliest))
				case lately:
					w.may, w.until, w.why = true, until, fmt.Sprintf("it was among the newest %d of %s after they followed", o.cfg.Backfill, audience)
				}
				ways[p.post] = append(ways[p.post], w)
			}
		}
	}
	for id, all := range o.posts {
		for _, p := range all {
			if own := o.cfg.Own && p.author == reader; own || p.author != reader && slices.Contains(p.named, reader) {
				ways[id] = append(ways[id], way{span: p.span, created: p.created, may: true, until: p.to, why: "it names them, or did"})
			}
		}
	}
	return ways
}

// Sorted returns the posts that the reader may have, newest first. At equal times, the higher id comes
// first.
func (r Reader) Sorted() []Post {
	return slices.SortedFunc(maps.Values(r.Posts), func(a, b Post) int {
		if c := b.CreatedAt.Compare(a.CreatedAt); c != 0 {
			return c
		}
		return cmp.Compare(b.ID, a.ID)
	})
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Follows returns the accounts and groups that a reader follows now, sorted.
func (o *Oracle) Follows(reader string) (all []string) {
	for _, audience := range o.followed[reader] {
		if _, ok := o.follow(reader, audience); ok {
			all = append(all, audience)
		}
	}
	slices.Sort(all)
	return all
}
