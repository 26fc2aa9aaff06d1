package chaos

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/config"
)

// stamps are the times of documents. They say what has certainly arrived at a timeline, and
// after what: operations run beside each other, so their order does not.
type stamps struct {
	posts map[string]stamp
	edges map[string]time.Time // by the path of the follow: when the edge was last written

	settings map[string]time.Time            // by reader: when they were last written
	comments map[string]map[string]time.Time // by post and id: when they were created
}

// stamp is when a post was created and last written.
type stamp struct{ created, updated time.Time }

func readStamps(ctx context.Context, client *firestore.Client) (*stamps, error) {
	s := &stamps{posts: map[string]stamp{}, edges: map[string]time.Time{}}
	posts, err := client.Collection("posts").Select().Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("times of posts: %w", err)
	}
	for _, doc := range posts {
		s.posts[doc.Ref.ID] = stamp{doc.CreateTime, doc.UpdateTime}
	}
	edges, err := client.CollectionGroup("following").Select().Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("times of edges: %w", err)
	}
	for _, doc := range edges {
		s.edges[followOf(doc.Ref.Parent.Parent.ID, doc.Ref.ID)] = doc.UpdateTime
	}
	return s, s.readDecided(ctx, client)
}

// mustHave returns the posts that a reader's timeline has to show, of those that reach them.
//
// A post that names the reader comes by its event, and not at all if the reader blocks its
// author, though they may follow its audience. Another one to an audience comes to those who
// follow when the event of its last write is handled, and so to those whose edge is older
// than that write. Of a write that changes nothing for deliveries, the event is not handled:
// then the edge has to be older than the post. To others it comes if a follow brings all
// posts; otherwise it may.
//
// A full ring has what is newer than its oldest bucket. Of older posts, nobody can say later when they
// came: each may have been pushed out.
//
// What a reader who hid something, or was idle, has to have is in [Model.brought].
func (m *Model) mustHave(reader string, s *stamps, cfg config.Functions, b buckets) map[string]bool {
	must := map[string]bool{}
	for id, post := range m.posts {
		at, there := s.posts[id]
		refused := slices.Contains(post.sent.To, reader) && reader != post.author && !m.names(post, reader)
		if !m.reaches(post, reader) || !there || refused {
			continue
		}
		edge, follows := s.edges[followOf(reader, post.followedAs())]
		handled := at.updated
		if post.idle {
			handled = at.created
		}
		brought := follows && (cfg.Backfill >= allPosts || edge.Before(handled)) || m.names(post, reader)
		d := m.readers[reader]
		if d.leftOut && !d.hides(post.author, post.kind) {
			brought = m.brought(post, reader, follows, edge, at, handled, s.settings[reader], cfg)
		}
		pushed := !b.oldest.IsZero() && !post.entry.CreatedAt.After(b.oldest)
		if brought && !pushed && !d.hides(post.author, post.kind) {
			must[id] = true
		}
	}
	return must
}
