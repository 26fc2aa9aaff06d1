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
	// page is the number of relations or documents in one query of a client.
	page = 20
	// askAgain is the pause after a query that fails, or does not find it all.
	askAgain = time.Second
)

// findsInFeed returns a query as clients make it, page by page: whether a reader's feed has all of some posts. It leaves out
// the followers: with them, a page of full relations has 10 MB.
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

// findsInTimeline returns a query whether a reader's timeline, of at most a page of documents, has a post.
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

// findsInIndex returns a query whether an author has a follower in an index document. Rules forbid it to clients.
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

const (
	// askLate is the time after which some of the readers that do not ask by themselves do.
	askLate = 10 * time.Second
	// asksLate is the largest number that asks at a time.
	asksLate = 20
)

// askLate asks once for the first samples that have waited for the time askLate and do not ask by themselves.
func (s *system) askLate(ctx context.Context) {
	var group errgroup.Group
	group.SetLimit(4)
	for _, x := range s.watch.late(time.Now().Add(-askLate), asksLate) {
		group.Go(func() error {
			if found, err := x.finds(ctx); err == nil && found {
				s.watch.found(x, time.Now())
			}
			return nil
		})
	}
	_ = group.Wait() // nothing fails
}
