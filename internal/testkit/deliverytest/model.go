package deliverytest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// follow names a follower document. The author may be a group.
type follow struct{ author, reader string }

// written is a post as its author has written it.
type written struct {
	author   string
	audience string   // whose followers get it: the author, a group, or "" for nobody
	to       []string // readers who get it whomever they follow
	hidden   bool     // nobody gets it
	kind     string   // what readers hide it by
	old      bool     // it has no field audience
	at       int      // the first has 0; no two posts have the same, and a later one more
}

// model is what clients have written, and what feeds have to show: a plain join.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // all who have ever followed somebody, or were in a `to`
	gone    map[string]bool // deleted accounts and posts, which nothing may name
	decided map[string]decided
	hidden  map[mark]bool
	lifted  map[mark]int // by which comment, counted from 1

	shown     map[string][]Seen // feeds when they were last checked
	written   map[string]bool   // posts that were written or deleted since
	changed   map[follow]bool   // follows that began or ended since
	again     map[string]bool   // readers who have decided something since
	commented int               // how many comments there were
	loose     map[string]bool   // posts whose comments may come before or after other changes; nil: none
}

func newModel() *model {
	return &model{
		follows: map[follow]bool{}, posts: map[string]written{}, readers: map[string]bool{}, gone: map[string]bool{},
		decided: map[string]decided{}, hidden: map[mark]bool{}, lifted: map[mark]int{},
		shown: map[string][]Seen{}, written: map[string]bool{}, changed: map[follow]bool{}, again: map[string]bool{},
	}
}

func (m *model) clone() *model {
	return &model{
		maps.Clone(m.follows), maps.Clone(m.posts), maps.Clone(m.readers), maps.Clone(m.gone),
		maps.Clone(m.decided), maps.Clone(m.hidden), maps.Clone(m.lifted),
		maps.Clone(m.shown), maps.Clone(m.written), maps.Clone(m.changed), maps.Clone(m.again), m.commented, maps.Clone(m.loose),
	}
}

func (m *model) apply(o op) {
	defer m.forgetLifts()
	switch o.kind {
	case follows, unfollows:
		m.changed[follow{o.author, o.reader}] = true
	case posts, deletes:
		m.written[o.post] = true
	case decides:
		m.again[o.reader] = true
	case leaves, hides, shows, comments: // leaves applies the deletion of posts
	}
	switch o.kind {
	case follows:
		m.follows[follow{o.author, o.reader}] = true
		m.readers[o.reader] = true
	case unfollows:
		delete(m.follows, follow{o.author, o.reader})
	case posts:
		m.posts[o.post] = o.content
		delete(m.gone, o.post)
		for _, reader := range o.content.to {
			m.readers[reader] = true
		}
	case deletes:
		delete(m.posts, o.post)
		m.gone[o.post] = true
	case decides:
		m.decided[o.reader] = o.decided
	case hides:
		m.hidden[mark{o.post, o.reader}] = true
	case shows:
		delete(m.hidden, mark{o.post, o.reader})
	case comments:
		m.comment(o)
	case leaves:
		m.gone[o.author] = true
		delete(m.decided, o.author)
		maps.DeleteFunc(m.hidden, func(k mark, _ bool) bool { return k.reader == o.author })
		maps.DeleteFunc(m.follows, func(f follow, _ bool) bool { return f.author == o.author || f.reader == o.author })
		for id, p := range m.posts {
			if p.author == o.author {
				m.apply(op{kind: deletes, post: id})
			} else if slices.Contains(p.to, o.author) {
				p.to = slices.DeleteFunc(slices.Clone(p.to), func(reader string) bool { return reader == o.author })
				m.posts[id] = p
			}
		}
	}
}

// comment lifts a post for those who follow the commenter, and have it.
func (m *model) comment(o op) {
	m.commented++
	for reader := range m.readers {
		if k := (mark{o.post, reader}); m.follows[follow{o.author, reader}] && m.reaches(k) {
			m.lifted[k] = m.commented
		}
	}
	if m.loose != nil {
		m.loose[o.post] = true
	}
}

// forgetLifts forgets those of entries that go: who gets a post again gets it where it was.
func (m *model) forgetLifts() {
	maps.DeleteFunc(m.lifted, func(k mark, _ int) bool { return !m.reaches(k) })
}

// reaches reports whether a reader gets a post, unless they are idle.
func (m *model) reaches(k mark) bool {
	p, there := m.posts[k.post]
	return there && !p.hidden && (m.follows[follow{p.audience, k.reader}] || slices.Contains(p.to, k.reader)) && !m.decided[k.reader].hides(p)
}

// feed returns the posts that reach a reader, newest first.
func (m *model) feed(reader string) []Seen {
	feed := []Seen{}
	for id := range m.posts {
		if k := (mark{id, reader}); m.reaches(k) {
			feed = append(feed, Seen{id, m.hidden[k]})
		}
	}
	slices.SortFunc(feed, func(a, b Seen) int {
		return cmp.Or(m.lifted[mark{b.Post, reader}]-m.lifted[mark{a.Post, reader}], m.posts[b.Post].at-m.posts[a.Post].at)
	})
	return feed
}

// compare returns what is wrong with a feed; nil if nothing is.
func (m *model) compare(reader string, got []Seen, byArrival bool) error {
	want := m.feed(reader)
	if m.decided[reader].idle { // may lack what came meanwhile
		want = slices.DeleteFunc(want, func(s Seen) bool { return !slices.Contains(got, s) && !m.stays(reader, s.Post) })
	}
	if diff := gocmp.Diff(sorted(want), sorted(got)); diff != "" {
		return fmt.Errorf("sorted (-want +got):\n%s", diff)
	}
	if byArrival {
		return m.arrived(reader, got)
	}
	sure := func(all []Seen) []Seen {
		return slices.DeleteFunc(slices.Clone(all), func(s Seen) bool { return m.loose[s.Post] })
	}
	if diff := gocmp.Diff(sure(want), sure(got), cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("(-want +got):\n%s", diff)
	}
	return nil
}

// stays reports whether a reader had a post when feeds were last checked, and nothing has changed
// about it since.
func (m *model) stays(reader, post string) bool {
	return !m.written[post] && !m.changed[follow{m.posts[post].audience, reader}] && !m.again[reader] &&
		slices.ContainsFunc(m.shown[reader], func(s Seen) bool { return s.Post == post })
}

func sorted(all []Seen) []Seen {
	return slices.SortedFunc(slices.Values(append([]Seen{}, all...)), func(a, b Seen) int { return cmp.Compare(a.Post, b.Post) })
}

// arrived returns what is wrong with the order of a feed whose posts are shown as they came; nil if
// nothing is. Those that it had before, and that nobody has touched since, are in the order that they
// had. New ones come before them. What its reader has decided may have moved any.
func (m *model) arrived(reader string, got []Seen) error {
	was := func(id string) bool {
		return slices.ContainsFunc(m.shown[reader], func(s Seen) bool { return s.Post == id })
	}
	var before, old []string
	for _, s := range m.shown[reader] {
		if m.stays(reader, s.Post) && slices.ContainsFunc(got, func(now Seen) bool { return now.Post == s.Post }) {
			before = append(before, s.Post)
		}
	}
	for _, s := range got {
		if slices.Contains(before, s.Post) {
			old = append(old, s.Post)
		} else if len(old) > 0 && !was(s.Post) {
			return fmt.Errorf("%s is new, and comes after %s: %v", s.Post, old[0], got)
		}
	}
	if diff := gocmp.Diff(before, old); diff != "" {
		return fmt.Errorf("posts that were there before (-want +got):\n%s", diff)
	}
	return nil
}

// checked notes the feeds that were found right.
func (m *model) checked(feeds map[string][]Seen) {
	m.shown, m.written, m.changed, m.again = feeds, map[string]bool{}, map[follow]bool{}, map[string]bool{}
}
