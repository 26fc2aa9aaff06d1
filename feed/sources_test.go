package feed_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

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
