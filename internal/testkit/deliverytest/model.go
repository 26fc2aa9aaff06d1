package deliverytest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
)

// follow names a follower document. The author may be a group.
type follow struct{ author, reader string }

// written is a post as its author has written it.
type written struct {
	author   string
	audience string   // whose followers get it: the author, a group, or "" for nobody
	to       []string // readers who get it whomever they follow
	hidden   bool     // nobody gets it
	old      bool     // it has no field audience
	at       int      // the first has 0; no two posts have the same, and a later one more
}

// model is what clients have written, and what feeds have to show: a plain join.
type model struct {
	follows map[follow]bool
	posts   map[string]written
	readers map[string]bool // all who have ever followed somebody, or were in a `to`
	gone    map[string]bool // deleted accounts and posts, which nothing may name

	shown   map[string][]string // feeds when they were last checked
	written map[string]bool     // posts that were written or deleted since
	changed map[follow]bool     // follows that began or ended since
}

func newModel() *model {
	return &model{
		follows: map[follow]bool{}, posts: map[string]written{}, readers: map[string]bool{}, gone: map[string]bool{},
		shown: map[string][]string{}, written: map[string]bool{}, changed: map[follow]bool{},
	}
}

func (m *model) clone() *model {
	return &model{
		maps.Clone(m.follows), maps.Clone(m.posts), maps.Clone(m.readers), maps.Clone(m.gone),
		maps.Clone(m.shown), maps.Clone(m.written), maps.Clone(m.changed),
	}
}

func (m *model) apply(o op) {
	switch o.kind {
	case follows, unfollows:
		m.changed[follow{o.author, o.reader}] = true
	case posts, deletes:
		m.written[o.post] = true
	case leaves: // applies the deletion of posts
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
	case leaves:
		m.gone[o.author] = true
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

// reaches reports whether a reader gets a post.
func (m *model) reaches(p written, reader string) bool {
	return !p.hidden && (m.follows[follow{p.audience, reader}] || slices.Contains(p.to, reader))
}

// feed returns the posts that reach a reader, newest first.
func (m *model) feed(reader string) []string {
	feed := []string{}
	for id, p := range m.posts {
		if m.reaches(p, reader) {
			feed = append(feed, id)
		}
	}
	slices.SortFunc(feed, func(a, b string) int { return m.posts[b].at - m.posts[a].at })
	return feed
}

// arrived returns what is wrong with a feed whose posts are shown as they came; nil if
// nothing is. It has the posts of [model.feed], each once. Those that it had before, and
// that nobody has touched since, are in the order that they had. New ones come before them.
func (m *model) arrived(reader string, got []string) error {
	if diff := cmp.Diff(slices.Sorted(slices.Values(m.feed(reader))), slices.Sorted(slices.Values(got))); diff != "" {
		return fmt.Errorf("sorted (-want +got):\n%s", diff)
	}
	before := slices.DeleteFunc(slices.Clone(m.shown[reader]), func(id string) bool {
		return m.written[id] || m.changed[follow{m.posts[id].audience, reader}] || !slices.Contains(got, id)
	})
	old := slices.DeleteFunc(slices.Clone(got), func(id string) bool { return !slices.Contains(before, id) })
	if diff := cmp.Diff(before, old); diff != "" && len(before)+len(old) > 0 {
		return fmt.Errorf("posts that were there before (-want +got):\n%s", diff)
	}
	if len(old) > 0 {
		for _, id := range got[slices.Index(got, old[0]):] {
			if !slices.Contains(m.shown[reader], id) {
				return fmt.Errorf("%s is new, and comes after %s: %v", id, old[0], got)
			}
		}
	}
	return nil
}

// checked notes the feeds that were found right.
func (m *model) checked(feeds map[string][]string) {
	m.shown, m.written, m.changed = feeds, map[string]bool{}, map[follow]bool{}
}
