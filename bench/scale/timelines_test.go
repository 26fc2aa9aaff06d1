package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"google.golang.org/api/iterator"

	"example.com/relationindex/bench/internal/machine"
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

var readers = flag.Int("readers", 100_000, "readers of BenchmarkTimelines, a multiple of 10,000")

// mostTimes is how much longer than the bare loop a post to timelines may take.
const mostTimes = 1.3

// timelineForms are the forms of timelines that BenchmarkTimelines measures.
var timelineForms = []struct {
	name string
	cfg  schema.Config
	bare form
}{
	{"items", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}}, form{noReads, writeItem}},
	{"buckets-of-50", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 50}, form{readOpen, writeOpen}},
	{"buckets-of-1-cap-1000", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "buckets"}, Bucket: 1, Cap: 1000}, form{readOnes, writeOnes}},
	{"days", schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "days"}}, form{noReads, writeDay}},
}

// BenchmarkTimelines is a post to -readers followers in each form of timelines: the first of
// every reader's timeline, a later one, and one whose functions are killed half-way. Each
// times is the time over that of the bare loop, which does the same for other readers right
// before it and right after it. The later one is deleted: times is the time until it has gone from every
// timeline over that until it was there, and is at most 1.
func BenchmarkTimelines(b *testing.B) {
	for b.Loop() {
		var rows, taken [][]string
		for _, f := range timelineForms {
			b.Run("form="+f.name, func(b *testing.B) {
				some, row := timelinesBeside(b, f.name, f.cfg, f.bare)
				rows, taken = append(rows, some...), append(taken, row)
			})
		}
		headers := []string{fmt.Sprintf("a post to %d readers", *readers), "timelines", "bare loop", "times", "processor", "bare loop", "times", "peak MiB", "killed at"}
		must(b, console.Table(os.Stdout, "  ", headers, rows))
		headers = []string{fmt.Sprintf("a post with %d readers", *readers), "taken back", "brought", "times", "processor", "brought", "times"}
		must(b, console.Table(os.Stdout, "  ", headers, taken))
	}
}

// timelinesBeside measures one form, and returns rows of the table, and that of the post that is taken back.
func timelinesBeside(b *testing.B, name string, cfg schema.Config, f form) (rows [][]string, taken []string) {
	b.Helper()
	cfg.Feeds = schema.FeedsOf(cfg.Timeline(), false)
	s := startWith(b, cfg)
	client, err := wire.Open(b.Context(), s.Config().Project, s.FirestoreHost())
	must(b, err)
	defer client.Close()
	crowdOf := func(author string, documents, first int) crowd {
		c := crowd{client: client, author: author, documents: documents, first: first}
		c.load(b, parallel)
		return c
	}
	ours := crowdOf("author", *readers/capacity, 0)
	small, smallLoop := crowdOf("small", 1, 4e9), bare{crowdOf("small-loop", 1, 5e9), f, parallel}
	loops := []bare{{crowdOf("loop", *readers/capacity, 1e9), f, parallel}, {crowdOf("other-loop", *readers/capacity, 2e9), f, parallel}}
	for n := range 2 { // warms up the emulator and the functions
		smallLoop.run(b, fmt.Sprintf("small-loop-%d", n), n)
		s.bring(small, fmt.Sprintf("small-%d", n))
	}
	var kept []string
	var brought used
	for n, what := range []string{"first", "later"} {
		post := fmt.Sprintf("post-%010d", n)
		before := usedBy(b, func() time.Duration { return loops[0].run(b, fmt.Sprintf("loop-%010d", n), n) })
		took := usedBy(b, func() time.Duration { return s.bring(ours, post) })
		after := usedBy(b, func() time.Duration { return loops[1].run(b, fmt.Sprintf("both-%010d", n), n) })
		kept, brought = append(kept, post), took
		ours.wantOneEntry(b, kept)
		plain := used{(before.time + after.time) / 2, (before.cpu + after.cpu) / 2}
		times, cpuTimes := took.time.Seconds()/plain.time.Seconds(), took.cpu.Seconds()/plain.cpu.Seconds()
		report(b, took.time.Seconds(), what+"-s")
		report(b, plain.time.Seconds(), "bare-"+what+"-s")
		report(b, times, what+"-x-bare")
		report(b, cpuTimes, what+"-cpu-x-bare")
		if times > mostTimes {
			b.Errorf("%s, %s entries: %.2f times the bare loop, want at most %v", name, what, times, mostTimes)
		}
		rows = append(rows, []string{
			name + ", " + what + " entries", seconds(took.time), seconds(plain.time), fmt.Sprintf("%.2f", times),
			seconds(took.cpu), seconds(plain.cpu), fmt.Sprintf("%.2f", cpuTimes), fmt.Sprint(s.peakMemory() >> 20), "",
		})
	}
	gone := kept[1]
	back := usedBy(b, func() time.Duration { return s.takeBack(gone) })
	ours.wantNoEntry(b, gone)
	kept = kept[:1]
	times, cpuTimes := back.time.Seconds()/brought.time.Seconds(), back.cpu.Seconds()/brought.cpu.Seconds()
	report(b, times, "taken-x-brought")
	if times > 1 {
		b.Errorf("%s: a post is taken back in %.2f times the time in which it was brought, want at most 1", name, times)
	}
	taken = []string{name, seconds(back.time), seconds(brought.time), fmt.Sprintf("%.2f", times), seconds(back.cpu), seconds(brought.cpu), fmt.Sprintf("%.2f", cpuTimes)}
	killedAt := s.killedHalfway(ours, "killed-00000000")
	ours.wantOneEntry(b, append(kept, "killed-00000000"))
	peak := s.peakMemory()
	report(b, float64(peak)/(1<<20), "peak-MiB")
	report(b, float64(killedAt), "killed-at")
	report(b, 0, "ns/op")
	if peak > maxMemory {
		b.Errorf("%s: the functions held %d MiB, want at most %d", name, peak>>20, maxMemory>>20)
	}
	return append(rows, []string{name + ", killed half-way", "exact", "", "", "", "", "", fmt.Sprint(peak >> 20), fmt.Sprint(killedAt)}), taken
}

// used is how long something took, and the processor time of all that took part: the emulator,
// the functions and this process. On a busy machine, compare the second.
type used struct{ time, cpu time.Duration }

func usedBy(b *testing.B, do func() time.Duration) used {
	b.Helper()
	before, err := machine.Time()
	must(b, err)
	took := do()
	after, err := machine.Time()
	must(b, err)
	return used{took, after - before}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// bring writes a post, and returns after how long it was in every timeline.
func (s *system) bring(c crowd, post string) time.Duration {
	s.b.Helper()
	return s.untilJobDone(schema.TimelinePostJobID(post), func() { must(s.b, writePost(s.b.Context(), s.Client(), c.author, post)) })
}

// takeBack deletes a post, and returns after how long it had gone from every timeline.
func (s *system) takeBack(post string) time.Duration {
	s.b.Helper()
	return s.untilJobDone(schema.TimelinePostJobID(post), func() {
		_, err := s.Client().Doc("posts/" + post).Delete(s.b.Context())
		must(s.b, err)
	})
}

// killedHalfway kills the functions when the job has brought a post to half of the readers,
// waits for the rest, and returns how many had it.
func (s *system) killedHalfway(c crowd, post string) (killedAt int) {
	s.b.Helper()
	must(s.b, writePost(s.b.Context(), s.Client(), c.author, post))
	job := s.Client().Collection(chunker.DefaultCollection).Doc(schema.TimelinePostJobID(post))
	ctx, cancel := context.WithTimeout(s.b.Context(), 10*time.Minute)
	defer cancel()
	it := job.Snapshots(ctx)
	defer it.Stop()
	for half := int64(c.documents * capacity / 2); ; {
		doc, err := it.Next()
		must(s.b, err)
		if done, _ := doc.Data()["done"].(int64); done >= half {
			break
		}
	}
	s.kill()
	for _, n := range c.entries(s.b, []string{post})[post] {
		killedAt += n
	}
	if all := c.documents * capacity; killedAt < all/2 || killedAt >= all {
		s.b.Errorf("killed when %d of %d readers had the post", killedAt, all)
	}
	s.idle()
	return killedAt
}

// entries counts the entries of posts, by post and reader.
func (c crowd) entries(b *testing.B, posts []string) map[string]map[string]int {
	b.Helper()
	found := map[string]map[string]int{}
	for _, post := range posts {
		found[post] = map[string]int{}
	}
	it := c.client.CollectionGroup(names.Timeline).Select("posts", "entries", "post").Documents(b.Context())
	defer it.Stop()
	for {
		doc, err := it.Next()
		if errors.Is(err, iterator.Done) {
			return found
		}
		must(b, err)
		data := doc.Data()
		ids, _ := data["posts"].([]any)
		entries, _ := data["entries"].(map[string]any)
		if entries == nil {
			entries = map[string]any{doc.Ref.ID: nil} // an item
		}
		if len(ids) != len(entries) {
			b.Errorf("%s has %d entries, and names %d posts", doc.Ref.Path, len(entries), len(ids))
		}
		for post := range entries {
			if readers := found[post]; readers != nil {
				readers[doc.Ref.Parent.Parent.ID]++
			}
		}
	}
}

// wantNoEntry requires that no timeline has an entry of the post.
func (c crowd) wantNoEntry(b *testing.B, post string) {
	b.Helper()
	if n := len(c.entries(b, []string{post})[post]); n > 0 {
		b.Errorf("%d readers have a post that was deleted", n)
	}
}

// wantOneEntry requires that each follower has exactly one entry of each post, and nobody else.
func (c crowd) wantOneEntry(b *testing.B, posts []string) {
	b.Helper()
	for post, readers := range c.entries(b, posts) {
		wrong := 0
		for n := range c.documents {
			for _, f := range c.followers(n) {
				if readers[f.(string)] != 1 {
					wrong++
				}
			}
		}
		if want := c.documents * capacity; wrong > 0 || len(readers) != want {
			b.Errorf("%s: %d readers have no entry, or more than one; %d have one, want %d", post, wrong, len(readers), want)
		}
	}
}
