package weather

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// author is an account with followers in index documents.
type author struct {
	id       string
	first    int // follower
	all      int
	each     int // followers of an index document
	pad      int // by which the ids of the followers are longer than usual
	posts    []string
	timeline bool // readers have timelines, and no relations
	asking   int  // watched readers who ask for each post
}

// reader returns the id of the n-th follower: one character shorter than a Firebase user's, and longer by pad.
func (a *author) reader(n int) string {
	return name("reader", a.first+n) + strings.Repeat("x", a.pad)
}

// load writes the account and its index documents, as a.all follows would have left them.
func (s *system) load(a *author) {
	s.tb.Helper()
	var ids []string
	group, ctx := errgroup.WithContext(s.tb.Context())
	group.SetLimit(8)
	for from := 0; from < a.all; from += a.each {
		id := fmt.Sprintf("%05d", len(ids)+1)
		ids = append(ids, id)
		group.Go(func() error {
			var followers []any
			for n := from; n < min(from+a.each, a.all); n++ {
				followers = append(followers, a.reader(n))
			}
			_, err := s.Client().Doc("users/"+a.id+"/"+names.FollowersIndex+"/"+id).Set(ctx, indexDocument(followers))
			return err
		})
	}
	must(s.tb, group.Wait())
	profile := map[string]any{"displayName": a.id}
	if len(ids) > 0 {
		profile["followers_index"], profile["latestFollowersIndex"] = ids, ids[len(ids)-1]
	}
	_, err := s.Client().Doc("users/"+a.id).Set(s.tb.Context(), profile)
	must(s.tb, err)
}

// indexDocument returns an index document of followers whose ids have one length.
func indexDocument(followers []any) map[string]any {
	return map[string]any{
		"followers": followers, "count": len(followers), "sizeBytes": schema.ValueBytes(followers),
		"version": 1, "changes": []any{}, "backfilled": true,
	}
}

// loadPosts writes posts before the measurement. The functions fan them out.
func (s *system) loadPosts(a *author, n int) {
	s.tb.Helper()
	for range n {
		id := s.newPost()
		must(s.tb, s.writePost(s.tb.Context(), s.Client(), id, a.id, a.id, "not measured"))
		a.posts = append(a.posts, id)
	}
}

func (s *system) newPost() string {
	return name("post", s.written.Add(1))
}

func (s *system) writePost(ctx context.Context, client *firestore.Client, id, author, audience, text string) error {
	_, err := client.Doc("posts/"+id).Set(ctx, map[string]any{
		"userId": author, "audience": audience, "hidden": false, "createdAt": firestore.ServerTimestamp, "text": text,
	})
	return err
}

// retry repeats a client's write until it is acknowledged, as mobile SDKs do: after 1 s, and then twice as long each time, up
// to a minute.
func retry(ctx context.Context, write func(context.Context) error) error {
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := write(ctx)
		if !slices.Contains([]codes.Code{codes.Aborted, codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded}, status.Code(err)) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// post writes a post and measures it: until one reader of each index document has found it, or each reader with a timeline.
// The writer of a group's post is a member.
func (s *system) post(ctx context.Context, kind string, a *author) error {
	id, writer := s.newPost(), a.id
	if schema.IsGroup(a.id) {
		writer = "member"
	}
	step := a.each
	if a.timeline {
		step = 1
	}
	var readers []reader
	for n := 0; n < a.all; n += step {
		r := a.reader(n)
		if a.timeline {
			readers = append(readers, reader{needs: []need{{"users/" + r + "/" + names.Timeline, id}}, finds: s.findsInTimeline(r, id)})
		} else {
			readers = append(readers, reader{needs: []need{{names.Relations + "/" + id, r}}, finds: s.findsInFeed(r, id)})
		}
	}
	for n := range a.asking {
		readers[n*len(readers)/a.asking].asks = true
	}
	s.watch.begin(kind, "posts/"+id, readers)
	return retry(ctx, func(ctx context.Context) error { return s.writePost(ctx, s.clients, id, writer, a.id, "measured") })
}

// newest is the number of an author's posts that a new follower has to find.
const newest = 20

// follow writes a follow and measures it: until the new follower finds the author's newest posts. If the author has none, or
// the follower does not ask, the measurement ends at the last commit that this needs.
func (s *system) follow(ctx context.Context, kind string, a *author, asks bool) error {
	id := name("new", s.written.Add(1))
	posts := a.posts[max(0, len(a.posts)-newest):]
	r := reader{asks: asks && len(posts) > 0, finds: s.findsInFeed(id, posts...)}
	for _, post := range posts {
		r.needs = append(r.needs, need{names.Relations + "/" + post, id})
	}
	if len(posts) == 0 {
		r.needs, r.finds = []need{{"users/" + a.id + "/" + names.FollowersIndex, id}}, s.findsInIndex(a.id, id)
	}
	document := "users/" + a.id + "/followers/" + id
	s.watch.begin(kind, document, []reader{r})
	return retry(ctx, func(ctx context.Context) error {
		_, err := s.clients.Doc(document).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
		return err
	})
}

// paced calls do rate times a second for a time, some at once. A call that comes late does not delay the next.
func paced(ctx context.Context, rate float64, d time.Duration, do func(ctx context.Context, n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	began := time.Now()
	for n := range int(rate * d.Seconds()) {
		select {
		case <-time.After(time.Until(began.Add(time.Duration(float64(n) / rate * float64(time.Second))))):
			group.Go(func() error { return do(ctx, n) })
		case <-ctx.Done():
			return group.Wait()
		}
	}
	return group.Wait()
}
