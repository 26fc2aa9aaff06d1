package weather

import (
	"context"
	"flag"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

var likes = flag.Int("likes", 10_000, "likes of one post within a minute")

// number watches the number of likes of a post: how long it was behind what was acknowledged.
type number struct {
	mu    sync.Mutex
	acked []time.Time // in their order
	shown int         // of acked
	lag   time.Duration
}

func (n *number) ack() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.acked = append(n.acked, time.Now())
}

// shows notes that the number was so large at a time.
func (n *number) shows(value int, at time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for ; n.shown < min(value, len(n.acked)); n.shown++ {
		n.lag = max(n.lag, at.Sub(n.acked[n.shown]))
	}
}

// like writes a like of a post, as a client does.
func (s *system) like(ctx context.Context, post, who string) error {
	return retry(ctx, func(ctx context.Context) error {
		_, err := s.clients.Doc("posts/"+post+"/likes/"+who).Set(ctx, map[string]any{
			"userId": who, "postId": post, "createdAt": firestore.ServerTimestamp,
		})
		return err
	})
}

// likesOf returns the number of likes that a post has, as it is stored.
func (s *system) likesOf(ctx context.Context, post string) (int, error) {
	doc, err := s.Client().Doc("posts/" + post).Get(ctx)
	if err != nil {
		return 0, err
	}
	n, _ := doc.DataAt("counts.likes")
	count, _ := n.(int64)
	return int(count), nil
}

// BenchmarkLikes measures -likes of one post, one after the other within a minute: what the functions read and write, and how
// long after a like was acknowledged the post's number had it, at most.
func BenchmarkLikes(b *testing.B) {
	for b.Loop() {
		s := start(b, options{functions: schema.Config{Counts: true, Notifications: true}})
		post := s.likedPost()
		s.rest()
		used, n := s.meter.Counts(), &number{}
		began := time.Now()
		ctx, stop := context.WithCancel(b.Context())
		watched := make(chan error, 1)
		go func() { watched <- s.watchNumber(ctx, post, n) }()
		must(b, paced(b.Context(), float64(*likes)/60, time.Minute, func(ctx context.Context, i int) error {
			err := s.like(ctx, post, name("fan", i))
			n.ack()
			return err
		}))
		wrote := time.Since(began)
		until(func() bool { count, err := s.likesOf(b.Context(), post); return err == nil && count == *likes })
		exact := time.Since(began) - wrote
		s.rest()
		stop()
		must(b, <-watched)
		used = s.meter.Counts().Minus(used)
		if count, err := s.likesOf(b.Context(), post); err != nil || count != *likes || n.shown != *likes {
			b.Errorf("the post has %d likes, want %d (%v)", count, *likes, err)
		}
		b.ReportMetric(float64(used.Reads), "reads")
		b.ReportMetric(float64(used.Writes), "writes")
		b.ReportMetric(n.lag.Seconds(), "largest-lag-s")
		b.ReportMetric(exact.Seconds(), "exact-after-s")
		b.ReportMetric(wrote.Seconds(), "written-in-s")
		b.ReportMetric(0, "ns/op")
	}
}

// likedPost is a post of an author who has a profile.
func (s *system) likedPost() (post string) {
	a := &author{id: "author", all: 10, each: schema.DefaultCapacity}
	s.load(a)
	s.loadPosts(a, 1)
	return a.posts[0]
}

// watchNumber looks at the number of a post ten times a second, without weather.
func (s *system) watchNumber(ctx context.Context, post string, n *number) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		count, err := s.likesOf(ctx, post)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		n.shows(count, time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}
