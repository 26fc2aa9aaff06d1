package weather

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/local"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

var (
	likes  = flag.Int("likes", 10_000, "likes of one post within a minute")
	loaded = flag.Int("loaded", 1_000_000, "likes of a post before others come")
)

// counting is a configuration with numbers and notifications.
var counting = schema.Config{Counts: true, Notifications: true}

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
		s := start(b, options{functions: counting})
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

// BenchmarkManyLikes measures what three processes read in a minute for a post with -loaded likes, which somebody likes each
// second.
func BenchmarkManyLikes(b *testing.B) {
	for b.Loop() {
		s := start(b, options{workers: 3}) // no trigger of likes yet
		post := s.likedPost()
		s.loadLikes(post, *loaded)
		s.rest()
		cfg := s.Config()
		cfg.Counts, cfg.Notifications = true, true
		must(b, s.Reconfigure(b.Context(), cfg))
		must(b, s.Broker().Register(b.Context(), cfg.Project, local.BrokerTriggers(cfg, s.FunctionsURL())...))
		must(b, s.like(b.Context(), post, "first"))
		until(func() bool { count, err := s.likesOf(b.Context(), post); return err == nil && count == *loaded+1 })
		used, began := s.meter.Counts(), time.Now()
		const minutes = 3
		must(b, paced(b.Context(), 1, minutes*time.Minute, func(ctx context.Context, i int) error { return s.like(ctx, post, name("fan", i)) }))
		took := time.Since(began)
		used = s.meter.Counts().Minus(used)
		want := *loaded + 1 + int(minutes*time.Minute/time.Second)
		until(func() bool { count, err := s.likesOf(b.Context(), post); return err == nil && count == want })
		if count, err := s.likesOf(b.Context(), post); err != nil || count != want {
			b.Errorf("the post has %d likes, want %d (%v)", count, want, err)
		}
		b.ReportMetric(float64(used.Reads)/took.Minutes(), "reads/min")
		b.ReportMetric(float64(used.Writes)/took.Minutes(), "writes/min")
		b.ReportMetric(0, "ns/op")
	}
}

// loadLikes writes likes of a post, and their number, as the functions would have left them.
func (s *system) loadLikes(post string, n int) {
	s.tb.Helper()
	at := time.Now().Add(-time.Hour)
	var batch []string
	for i := range n {
		batch = append(batch, fmt.Sprintf("posts/%s/likes/%s", post, name("loaded", i)))
		if len(batch) == 20_000 || i == n-1 {
			must(s.tb, testkit.WriteEach(s.tb.Context(), s.Client(), batch, func(w *firestore.BulkWriter, path string) (*firestore.BulkWriterJob, error) {
				ref := s.Client().Doc(path)
				return w.Set(ref, map[string]any{"userId": ref.ID, "postId": post, "createdAt": at})
			}))
			batch = batch[:0]
			fmt.Fprintf(os.Stderr, "\r%d of %d likes are loaded", i+1, n)
		}
	}
	fmt.Fprintln(os.Stderr)
	_, err := s.Client().Doc("posts/"+post).Set(s.tb.Context(), map[string]any{"counts": map[string]any{"likes": n}}, firestore.MergeAll)
	must(s.tb, err)
}

// BenchmarkLikedFanOut measures posts to 100,000 followers, in turn one that nobody likes and one that is liked 20 times a
// second from its first moment.
func BenchmarkLikedFanOut(b *testing.B) {
	for b.Loop() {
		t := newTable()
		s := start(b, options{functions: counting})
		a := &author{id: "author", all: 100_000, each: schema.DefaultCapacity, asking: 1}
		s.load(a)
		s.rest()
		kinds := []string{"a post that nobody likes", "a post that is liked"}
		t.add(b, "liked fan-out", s.measure(func(ctx context.Context) error {
			for n := range 40 {
				id := s.newPost()
				liking, stop := context.WithCancel(ctx)
				var done sync.WaitGroup
				if err := s.postAs(ctx, kinds[n%2], a, id); err != nil {
					stop()
					return err
				}
				if n%2 == 1 {
					done.Go(func() {
						_ = paced(liking, 20, time.Minute, func(ctx context.Context, i int) error { return s.like(ctx, id, name("fan", i)) })
					})
				}
				until(func() bool { unseen, _ := s.watch.unseen(); return unseen == 0 })
				stop()
				done.Wait()
			}
			return nil
		}), kinds...)
	}
}

// BenchmarkPageWithLikes measures a page of 20 posts by Feed, in turn alone and with the query that finds which of them the
// reader likes. The posts' numbers are in them.
func BenchmarkPageWithLikes(b *testing.B) {
	for b.Loop() {
		s := start(b, options{functions: counting})
		a := &author{id: "author", all: 10, each: schema.DefaultCapacity}
		s.load(a)
		s.loadPosts(a, 40)
		for _, p := range a.posts[30:] {
			must(b, s.like(b.Context(), p, a.reader(0)))
		}
		s.rest()
		f := feed.New(s.clients, s.Config(), nil)
		var alone, both times
		var reads [2]int64
		for n := range 2 * enough {
			ctx, meter := wire.WithMeter(b.Context())
			began := time.Now()
			page, err := f.Page(ctx, a.reader(0), 20, "")
			must(b, err)
			if len(page.Posts) != 20 {
				b.Fatalf("a page of %d posts", len(page.Posts))
			}
			if n%2 == 1 {
				must(b, s.ownLikes(ctx, a.reader(0), page))
				both = append(both, time.Since(began))
			} else {
				alone = append(alone, time.Since(began))
			}
			reads[n%2] = meter.Counts().Reads
		}
		slices.Sort(alone)
		slices.Sort(both)
		b.ReportMetric(float64(reads[0]), "reads")
		b.ReportMetric(float64(reads[1]), "reads-with-likes")
		b.ReportMetric(alone.at(0.5).Seconds()*1000, "p50-ms")
		b.ReportMetric(both.at(0.5).Seconds()*1000, "p50-with-likes-ms")
		b.ReportMetric(0, "ns/op")
	}
}

// ownLikes finds which posts of a page a reader likes: ten of them.
func (s *system) ownLikes(ctx context.Context, reader string, page feed.Page) error {
	var ids []string
	for _, p := range page.Posts {
		ids = append(ids, p.ID)
	}
	docs, err := s.clients.CollectionGroup("likes").Where("userId", "==", reader).Where("postId", "in", ids).Documents(ctx).GetAll()
	if err == nil && len(docs) == 0 {
		err = fmt.Errorf("no own likes among %d posts", len(ids))
	}
	return err
}
