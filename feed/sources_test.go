package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

// reached is one post of an author to a reader, and how it comes.
type reached struct {
	s                    *feedtest.Server
	author, reader, post string
	audience             string
	named                bool
}

func (r reached) write() {
	var to []string
	if r.named {
		to = []string{r.reader}
	}
	r.s.PostTo(r.post, r.author, r.audience, feedtest.Noon, to...)
	r.s.Settle()
}

func (r reached) edit() {
	r.s.Edit(r.post, firestore.Update{Path: "text", Value: "edited"})
	r.s.Settle()
}

func (r reached) block() { r.s.Block(r.reader, r.author); r.s.Settle() }

func (r reached) unblock() { r.s.Unblock(r.reader, r.author); r.s.Settle() }

func (r reached) authorBlock() { r.s.Block(r.author, r.reader); r.s.Settle() }

// Blocks have the same effect in every source of a feed. A reader gets no post that names them from an
// author they block, neither earlier ones nor edited ones, until the block ends. The follows of the two end. Posts for
// a group that the reader follows stay, unless they name the reader.
func TestFeedSourcesAgreeOnBlocks(t *testing.T) {
	t.Parallel()
	type steps = []func(reached)
	write, edit, block, unblock, authorBlock := reached.write, reached.edit, reached.block, reached.unblock, reached.authorBlock
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, CopiedFields: []string{"text"}})
	row := 0
	for _, way := range []struct {
		name                 string
		named, follow, group bool
	}{
		{"named", true, false, false},
		{"followed", false, true, false},
		{"both", true, true, false},
		{"both, by a group", true, true, true},
		{"followed, by a group", false, true, true},
	} {
		for _, test := range []struct {
			name  string
			steps steps
			// Whether the post is there, if it names the reader; if it comes by a follow of its author; and of
			// a group alone.
			named, followed, grouped bool
		}{
			{"no block", steps{write, edit}, true, true, true},
			{"the reader blocks, then a post", steps{block, write}, false, false, true},
			{"a post, then the reader blocks", steps{write, block}, false, false, true},
			{"a post, the reader blocks, an edit", steps{write, block, edit}, false, false, true},
			{"the reader blocks, a post, an edit", steps{block, write, edit}, false, false, true},
			{"the author blocks, then a post", steps{authorBlock, write}, true, false, true},
			{"a post, then the author blocks", steps{write, authorBlock}, true, false, true},
			{"a post, the author blocks, an edit", steps{write, authorBlock, edit}, true, false, true},
			{"both block, then a post", steps{block, authorBlock, write}, false, false, true},
			{"a post, the reader blocks and unblocks", steps{write, block, unblock}, true, false, true},
			{"the reader blocks and unblocks, then a post", steps{block, unblock, write}, true, false, true},
		} {
			row++
			r := reached{s: s, author: fmt.Sprintf("author%02d", row), reader: fmt.Sprintf("reader%02d", row), post: fmt.Sprintf("post%02d", row), named: way.named}
			t.Run(way.name+": "+test.name, func(t *testing.T) {
				t.Parallel()
				want := test.followed
				r.audience = r.author
				switch {
				case way.group:
					r.audience = "g_" + r.author
					s.Group(r.audience, "owner")
					want = test.grouped
				case !way.follow:
					r.audience = ""
				}
				if way.follow {
					s.FollowSince(r.reader, r.audience, feedtest.Noon.Add(-time.Hour))
					s.Settle()
				}
				if way.named {
					s.Profile(r.reader, map[string]any{"name": "R"})
					want = test.named
				}
				for _, step := range test.steps {
					step(r)
				}
				for _, source := range []string{feed.SourceRelations, feed.SourcePull, feed.SourceTimeline} {
					got := s.Get(r.reader, "?source="+source).IDs()
					if (got == r.post) != want || got != "" && got != r.post {
						t.Errorf("%s has %q, want the post: %v", source, got, want)
					}
				}
			})
		}
	}
}

// A page reads a block for each author of posts that pull finds by name. Relations and pull also read the block of each
// author who names the reader in a post for a group that the reader follows.
func TestBlocksThatAPageReads(t *testing.T) {
	t.Parallel()
	s := feedtest.New(t, schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}})
	s.Group("g_club", "owner")
	for _, reader := range []string{"bob", "eve"} {
		for _, audience := range []string{"ann", "ben", "g_club"} {
			s.FollowSince(reader, audience, feedtest.Noon.Add(-time.Hour))
		}
	}
	s.Profile("lee", map[string]any{"name": "Lee"})
	s.Settle()
	for i := range 9 {
		p, at := fmt.Sprint("p", i), feedtest.Noon.Add(time.Duration(i)*time.Minute)
		switch i % 3 {
		case 0:
			s.PostTo(p, "ann", "ann", at, "eve", "lee")
		case 1:
			s.PostTo(p, "ben", "g_club", at, "eve", "lee")
		default:
			s.PostTo(p, "cat", "g_club", at)
		}
	}
	s.Settle()
	type reads struct{ posts, found, blocks int64 }
	for source, readers := range map[string]map[string]reads{
		feed.SourceRelations: {"bob": {9, 9, 0}, "eve": {9, 15, 1}, "lee": {6, 6, 0}}, // of eve's relations, six are direct
		feed.SourcePull:      {"bob": {9, 16, 0}, "eve": {9, 21, 1}, "lee": {6, 6, 2}},
		feed.SourceTimeline:  {"bob": {9, 9, 0}, "eve": {9, 9, 0}, "lee": {6, 6, 0}},
	} {
		for reader, want := range readers {
			s.Get(reader, "?limit=1&source="+source) // whom they follow, and the keys of cursors
			before := s.Meter.Counts()
			if got := len(strings.Fields(s.Get(reader, "?source="+source).IDs())); got != int(want.posts) {
				t.Fatalf("%s: %s has %d posts, want %d", source, reader, got, want.posts)
			}
			if c := s.Meter.Counts().Minus(before); c.Reads != want.posts+want.found+want.blocks {
				t.Errorf("%s: a page of %s took %v, want %+v", source, reader, c, want)
			}
		}
	}
}
