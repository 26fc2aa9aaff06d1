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

	"example.com/relationindex/schema/names"
)

// author is an account with followers, which are in index documents of so many each.
type author struct {
	id       string
	first    int // follower
	all      int
	each     int
	pad      int // how much longer than usual the ids of the followers are
	posts    []string
	timeline bool // readers have timelines, and no relations
}

// reader is the n-th follower, with an id one shorter than a Firebase user's, or longer by pad.
func (a *author) reader(n int) string {
	return name("reader", a.first+n) + strings.Repeat("x", a.pad)
}

// load writes the account and its index documents, as so many follows would have left them.
func (s *system) load(a *author) {
	s.tb.Helper()
	var ids []string
	group, ctx := errgroup.WithContext(s.tb.Context())
	group.SetLimit(8)
	for from := 0; from < a.all; from += a.each {
		id := fmt.Sprintf("%05d", len(ids)+1)
		ids = append(ids, id)
		group.Go(func() error {
			var followers []string
			for n := from; n < min(from+a.each, a.all); n++ {
				followers = append(followers, a.reader(n))
			}
			_, err := s.Client().Doc("users/"+a.id+"/"+names.FollowersIndex+"/"+id).Set(ctx, map[string]any{
				"followers": followers, "count": len(followers), "sizeBytes": len(followers) * (len(a.reader(0)) + 1),
				"version": 1, "changes": []any{}, "backfilled": true,
			})
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

// loadPosts writes posts before anything is measured. The functions bring them.
func (s *system) loadPosts(a *author, n int) {
	s.tb.Helper()
	for range n {
		id := s.newPost()
		must(s.tb, s.writePost(s.tb.Context(), s.Client(), id, a.id, "of before"))
		a.posts = append(a.posts, id)
	}
}

func (s *system) newPost() string {
	return name("post", s.written.Add(1))
}

func (s *system) writePost(ctx context.Context, client *firestore.Client, id, author, text string) error {
	_, err := client.Doc("posts/"+id).Set(ctx, map[string]any{
		"userId": author, "audience": author, "hidden": false, "createdAt": firestore.ServerTimestamp, "text": text,
	})
	return err
}

// again repeats a client's write until it is acknowledged, as the libraries of phones do.
func again(ctx context.Context, write func(context.Context) error) error {
	for {
		err := write(ctx)
		switch status.Code(err) {
		case codes.Aborted, codes.Unavailable, codes.ResourceExhausted, codes.DeadlineExceeded:
			if ctx.Err() == nil {
				continue
			}
		}
		return err
	}
}

// post is a post that is measured: until the first, the middle and the last follower of an author have it.
func (s *system) post(ctx context.Context, kind string, a *author) error {
	id := s.newPost()
	texts := map[string][]string{}
	some := []int{0, a.all / 2, a.all - 1}
	for _, n := range slices.Compact(some) {
		r := a.reader(n)
		if a.timeline {
			texts["users/"+r+"/"+names.Timeline] = []string{id}
		} else {
			where := names.Relations + "/" + id
			texts[where] = append(texts[where], r)
		}
	}
	s.watch.begin(kind, "posts/"+id, texts)
	return again(ctx, func(ctx context.Context) error { return s.writePost(ctx, s.clients, id, a.id, "measured") })
}

// newest is how many of an author's posts a new follower has to find.
const newest = 20

// follow is a follow that is measured: until the new follower finds the author's newest posts.
func (s *system) follow(ctx context.Context, kind string, a *author) error {
	r := name("new", s.written.Add(1))
	texts := map[string][]string{}
	for _, post := range a.posts[max(0, len(a.posts)-newest):] {
		texts[names.Relations+"/"+post] = []string{r}
	}
	if len(texts) == 0 {
		texts["users/"+a.id+"/"+names.FollowersIndex] = []string{r}
	}
	document := "users/" + a.id + "/followers/" + r
	s.watch.begin(kind, document, texts)
	return again(ctx, func(ctx context.Context) error {
		_, err := s.clients.Doc(document).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
		return err
	})
}

// paced calls do so many times a second for a time, some at once.
func paced(ctx context.Context, rate float64, d time.Duration, do func(ctx context.Context, n int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	ticker := time.NewTicker(time.Duration(float64(time.Second) / rate))
	defer ticker.Stop()
	for n := range int(rate * d.Seconds()) {
		select {
		case <-ticker.C:
			group.Go(func() error { return do(ctx, n) })
		case <-ctx.Done():
			return group.Wait()
		}
	}
	return group.Wait()
}
