package feed_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"

	"example.com/relationindex/feed/pages"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
	"example.com/relationindex/timelines/layout"
)

// timelines is a project whose timelines the test writes.
type timelines struct {
	*schema.Database
	t     *testing.T
	meter *wire.Meter
}

func newTimelines(t *testing.T, interceptors ...wire.Interceptor) *timelines {
	t.Helper()
	meter := &wire.Meter{}
	client := testkit.Open(t, testkit.ProjectID(t), append(interceptors, meter.Interceptor())...)
	return &timelines{&schema.Database{Client: client, Config: schema.Config{}.WithDefaults()}, t, meter}
}

func (db *timelines) write(documents map[string]fields) {
	db.t.Helper()
	testkit.Write(db.t, db.Client, documents)
}

func entry(post string, at time.Time) fields {
	return fields{"post": post, "author": "ada", "audience": "ada", "at": at.UnixMicro()}
}

// bucket is a closed bucket, or with a total the open one, of posts with their minutes in their names.
func bucket(size, slots int, sequence int, total int, posts ...string) fields {
	entries := fields{}
	for _, p := range posts {
		var minute int
		if _, err := fmt.Sscanf(p, "p%d", &minute); err != nil {
			panic(err)
		}
		entries[p] = entry(p, noon.Add(time.Duration(minute)*time.Minute))
	}
	b := fields{"entries": entries, "posts": posts, "accounts": []string{"ada"}, "size": size, "slots": slots, "sequence": sequence, "from": fmt.Sprintf("%d/AAAAAAAAAAAA", noon.UnixMicro())}
	if total > 0 {
		b["total"] = total
	}
	return b
}

// page reads bob's.
func (db *timelines) page(l layout.Layout, after pages.Position, limit int) ([]layout.Entry, bool) {
	db.t.Helper()
	page, more, err := pages.Of(db.t.Context(), db.Database, l, "bob", after, limit)
	if err != nil {
		db.t.Fatal(err)
	}
	return page, more
}

func last(page []layout.Entry) pages.Position {
	e := page[len(page)-1]
	return pages.Position{Sequence: e.Sequence, At: e.At, Post: e.Post}
}

// all reads bob's timeline to its end; between is called after each page.
func (db *timelines) all(l layout.Layout, limit int, between func(page int)) (posts []string) {
	db.t.Helper()
	var at pages.Position
	for n := 0; n < 1000; n++ {
		page, more := db.page(l, at, limit)
		for _, e := range page {
			posts = append(posts, e.Post)
		}
		if !more {
			return posts
		}
		if len(page) > 0 {
			at = last(page)
		}
		between(n)
	}
	db.t.Fatal("the timeline has no end")
	return nil
}

func quiet(int) {}

// Three days of 1 MiB: a page of 50 reads, and holds, one.
func TestPageOfLargeDaysReadsOneDocument(t *testing.T) {
	t.Parallel()
	db := newTimelines(t)
	const days, posts = 3, 450
	db.largeDays(days, posts)
	before := db.meter.Counts()
	page, more := db.page(layout.Days{}, pages.Position{}, 50)
	if c := db.meter.Counts().Minus(before); len(page) != 50 || !more || c.Reads != 1 || c.Received > 1<<20 {
		t.Errorf("a page of %d took %v, %d bytes; want 1 read and at most 1 MiB", len(page), c, c.Received)
	}
	before = db.meter.Counts()
	if got := db.all(layout.Days{}, 150, quiet); len(got) != days*posts || !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Errorf("%d posts, want %d in order", len(got), days*posts)
	}
	// Nine pages of a third of a day, and an end: after a page that ends with its day, the day is read again.
	if c := db.meter.Counts().Minus(before); c.Reads > 13 {
		t.Errorf("%d pages took %v, want 13 reads at most", days*posts/150+1, c)
	}
}

// largeDays writes days of almost 1 MiB.
func (db *timelines) largeDays(days, posts int) {
	db.t.Helper()
	for day := range days {
		at, entries := noon.AddDate(0, 0, day), fields{}
		var ids []string
		for i := range posts {
			id := fmt.Sprintf("d%dp%03d", day, i)
			e := entry(id, at.Add(time.Duration(i)*time.Second))
			e["fields"] = fields{"text": strings.Repeat("x", 2000)}
			entries[id], ids = e, append(ids, id)
		}
		id := at.Format(time.DateOnly)
		db.write(map[string]fields{"users/bob/timeline/" + id: {"day": id, "entries": entries, "posts": ids, "accounts": []string{"ada"}}})
	}
}

// open counts the reads that wait for an answer, or hold one.
type open struct {
	mu        sync.Mutex
	now, most int
	held      chan struct{} // closed when so many read at once
	want      int
}

func (o *open) add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now += n; o.now > o.most {
		o.most = o.now
		if o.most == o.want {
			close(o.held)
		}
	}
}

type openStream struct {
	grpc.ClientStream
	of *open
}

func (s *openStream) RecvMsg(reply any) error {
	<-s.of.held
	err := s.ClientStream.RecvMsg(reply)
	if errors.Is(err, io.EOF) {
		s.of.add(-1)
	}
	return err
}

// Forty pages at once hold eight days of 1 MiB, and all are answered.
func TestPagesShareTheirMemory(t *testing.T) { // not in parallel: the budget is the process's
	reads := &open{held: make(chan struct{}), want: 8}
	db := newTimelines(t, wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, call grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := call(ctx, desc, cc, method, opts...)
		if strings.HasSuffix(method, "/RunQuery") {
			reads.add(1)
			return &openStream{s, reads}, err
		}
		return s, err
	}})
	db.largeDays(1, 400)
	var group errgroup.Group
	for range 40 {
		group.Go(func() error {
			page, _, err := pages.Of(t.Context(), db.Database, layout.Days{}, "bob", pages.Position{}, 10)
			if err == nil && len(page) != 10 {
				err = fmt.Errorf("a page has %d entries", len(page))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
	if reads.most != 8 {
		t.Errorf("%d pages read at once, want 8: more hold more than 8 MiB", reads.most)
	}
}

// A reader's open bucket is missing, has no number, or has an entry that belongs in a closed one. Until the
// next write or repair fixes it, the closed buckets are still read, and pages end.
func TestPagesWithoutValidOpenBucket(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		slots int
		open  fields
		want  string
	}{
		"missing":                 {0, nil, "p06 p05 p04 p03 p02 p01"},
		"without its number":      {0, fields{"entries": fields{"p07": entry("p07", noon.Add(7*time.Minute))}, "size": 2, "slots": 0, "total": 7}, "p07 p06 p05 p04 p03 p02 p01"},
		"without its size":        {0, fields{"entries": fields{"p07": entry("p07", noon.Add(7*time.Minute))}, "sequence": 4, "total": 7}, "p07 p06 p05 p04 p03 p02 p01"},
		"with an old entry":       {0, fields{"entries": fields{"p00": entry("p00", noon)}, "sequence": 4, "size": 2, "slots": 0, "total": 7}, "p00 p06 p05 p04 p03 p02 p01"},
		"missing, of a ring":      {2, nil, "p06 p05 p04 p03"},
		"without number, of ring": {2, fields{"entries": fields{"p07": entry("p07", noon.Add(7*time.Minute))}, "total": 5}, "p07 p06 p05 p04"},
	} {
		for limit := 1; limit <= 8; limit++ {
			t.Run(fmt.Sprintf("%s, %d a page", name, limit), func(t *testing.T) {
				t.Parallel()
				db := newTimelines(t)
				ring := layout.Ring{Size: 2, Slots: int64(test.slots)}
				documents := map[string]fields{}
				for s := range 3 {
					if test.slots == 0 || s > 0 {
						documents["users/bob/timeline/"+ring.Slot(int64(s+1))] = bucket(2, test.slots, s+1, 0, fmt.Sprintf("p%02d", 2*s+1), fmt.Sprintf("p%02d", 2*s+2))
					}
				}
				if test.open != nil {
					documents["users/bob/timeline/open"] = test.open
				}
				db.write(documents)
				if got := strings.Join(db.all(layout.NewBuckets(2, 2*test.slots), limit, quiet), " "); got != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
			})
		}
	}
}

// For a reader without a timeline, an empty page costs two reads.
func TestEmptyTimelinePageCostsTwoReads(t *testing.T) {
	t.Parallel()
	db := newTimelines(t)
	page, more := db.page(layout.NewBuckets(50, 0), pages.Position{}, 20)
	if c := db.meter.Counts(); len(page) != 0 || more || c.Reads != 2 {
		t.Errorf("%d entries took %v, want 2 reads", len(page), c)
	}
}

// Between the pages, a late entry makes a closed bucket larger than its size, and another entry is removed.
// The entries that stay are returned once and in order, with any limit.
func TestClosedBucketsThatChangeBetweenPages(t *testing.T) {
	t.Parallel()
	for limit := 1; limit <= 13; limit++ {
		t.Run(fmt.Sprint(limit, " a page"), func(t *testing.T) {
			t.Parallel()
			db := newTimelines(t)
			full := func(sequence int) (posts []string) {
				for i := range 4 {
					posts = append(posts, fmt.Sprintf("p%02d", 10*sequence+2*i))
				}
				return posts
			}
			closed := func(sequence int, posts ...string) map[string]fields {
				return map[string]fields{"users/bob/timeline/" + (layout.Ring{Size: 4}).Slot(int64(sequence)): bucket(4, 0, sequence, 0, posts...)}
			}
			for s := 1; s <= 3; s++ {
				db.write(closed(s, full(s)...))
			}
			db.write(map[string]fields{"users/bob/timeline/open": bucket(4, 0, 4, 15, "p40", "p42", "p44")})
			got := db.all(layout.NewBuckets(4, 0), limit, func(page int) {
				switch page {
				case 0:
					db.write(closed(3, "p30", "p31", "p32", "p33", "p34", "p35", "p36", "p37"))
					db.write(closed(2, "p20", "p21", "p22", "p24", "p26"))
				case 1: // open is closed, and another begins
					db.write(closed(4, "p40", "p42", "p44", "p46"))
					db.write(map[string]fields{"users/bob/timeline/open": bucket(4, 0, 5, 21, "p50")})
					db.write(closed(1, "p10", "p11", "p12", "p14"))
				}
			})
			if !slices.IsSortedFunc(got, func(a, b string) int { return strings.Compare(b, a) }) || len(slices.Compact(slices.Clone(got))) != len(got) {
				t.Errorf("not in order, or not once: %v", got)
			}
			for _, p := range []string{"p10", "p12", "p14", "p20", "p22", "p24", "p26", "p30", "p32", "p34", "p36", "p40", "p42", "p44"} {
				if !slices.Contains(got, p) {
					t.Errorf("%s is missing in %v", p, got)
				}
			}
		})
	}
}

// Open closes between two pages, after all entries of the first page were removed: the entries that open keeps are still returned.
func TestClosedBucketEntriesAreNotSkipped(t *testing.T) {
	t.Parallel()
	db := newTimelines(t)
	buckets := layout.Buckets{Ring: layout.Ring{Size: 5}}
	db.write(map[string]fields{"users/bob/timeline/open": bucket(5, 0, 7, 4, "p40", "p39", "p38", "p37")})
	got := db.all(buckets, 2, func(page int) {
		if page == 0 {
			db.write(map[string]fields{
				"users/bob/timeline/" + buckets.Ring.Slot(7): bucket(5, 0, 7, 0, "p37", "p36", "p35", "p34"),
				"users/bob/timeline/open":                    bucket(5, 0, 8, 5, "p38"),
			})
		}
	})
	if want := []string{"p40", "p39", "p38", "p37", "p36", "p35", "p34"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Posts of one moment: open closes between two pages, and keeps the one with the highest hash of its id. Each
// post that was there comes once, wherever it is then.
func TestPagesSkipNothingWhenBucketCloses(t *testing.T) {
	t.Parallel()
	hash := func(post string) string {
		sum := sha256.Sum256([]byte(post))
		return base64.RawURLEncoding.EncodeToString(sum[:9])
	}
	some := func(sequence, total int, posts ...string) fields {
		b := bucket(5, 0, sequence, total, posts...)
		for _, p := range posts {
			b["entries"].(fields)[p] = entry(p, noon)
		}
		return b
	}
	for round := range 6 {
		db := newTimelines(t)
		var posts []string
		for n := range 5 {
			posts = append(posts, fmt.Sprintf("p%d", 100+10*round+n))
		}
		db.write(map[string]fields{"users/bob/timeline/open": some(7, 5, posts...)})
		buckets := layout.Buckets{Ring: layout.Ring{Size: 5}}
		got := db.all(buckets, 2, func(page int) {
			if page > 0 {
				return
			}
			all := append(slices.Clone(posts), fmt.Sprintf("p%d", 199))
			slices.SortFunc(all, func(p, q string) int { return strings.Compare(hash(p), hash(q)) })
			db.write(map[string]fields{
				"users/bob/timeline/" + buckets.Ring.Slot(7): some(7, 0, all[:5]...),
				"users/bob/timeline/open":                    some(8, 6, all[5]),
			})
		})
		got = slices.DeleteFunc(got, func(p string) bool { return p == "p199" })
		if slices.Sort(got); !slices.Equal(got, posts) {
			t.Errorf("round %d: %v, want %v", round, got, posts)
		}
	}
}
