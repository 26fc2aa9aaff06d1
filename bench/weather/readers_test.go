package weather

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

const (
	// page is how many relations or entries a client asks for.
	page = 20
	// askAgain is the pause after a query that fails, or does not find it all.
	askAgain = time.Second
)

// findsInFeed asks as clients do, page by page, whether a reader's feed has all of some posts. It leaves out the followers:
// with them, a page of full relations has 10 MB.
func (s *system) findsInFeed(reader string, posts ...string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		missing := map[any]bool{}
		for _, post := range posts {
			missing[post] = true
		}
		feed := s.clients.Collection(names.Relations).Where(names.FieldFollowers, "array-contains", reader).
			OrderBy("createdAt", firestore.Desc).Select("postId", "createdAt").Limit(page)
		for next := feed; ; {
			docs, err := next.Documents(ctx).GetAll()
			if err != nil {
				return false, err
			}
			for _, doc := range docs {
				delete(missing, doc.Data()["postId"])
			}
			if len(missing) == 0 || len(docs) < page {
				return len(missing) == 0, nil
			}
			next = feed.StartAfter(docs[len(docs)-1])
		}
	}
}

// findsInTimeline asks whether a reader's timeline, of at most a page of documents, has a post.
func (s *system) findsInTimeline(reader, post string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		docs, err := s.clients.Collection("users/" + reader + "/" + names.Timeline).Limit(page).Documents(ctx).GetAll()
		for _, doc := range docs {
			if _, found := layout.Read(doc).Entries[post]; found {
				return true, nil
			}
		}
		return false, err
	}
}

// findsInIndex asks whether an author has a follower in an index document, which no client can.
func (s *system) findsInIndex(author, reader string) func(context.Context) (bool, error) {
	return func(ctx context.Context) (bool, error) {
		docs, err := s.clients.Collection("users/"+author+"/"+names.FollowersIndex).Where(names.FieldFollowers, "array-contains", reader).Documents(ctx).GetAll()
		return len(docs) > 0, err
	}
}

// ask asks until the reader of a sample has found what was written.
func (s *system) ask(ctx context.Context, x *sample) {
	for {
		found, err := x.finds(ctx)
		if at := time.Now(); err == nil && found {
			s.watch.found(x, at)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgain):
		}
	}
}

// askLast asks once for each sample that counts as never found: its commit may have been carried out without an answer.
func (s *system) askLast(ctx context.Context, samples []*sample) {
	var group errgroup.Group
	group.SetLimit(4)
	for _, x := range samples {
		if !x.seen.IsZero() {
			continue
		}
		group.Go(func() error {
			if found, err := x.finds(ctx); err == nil && found {
				x.seen = time.Now()
			}
			return nil
		})
	}
	_ = group.Wait() // nothing fails
}
