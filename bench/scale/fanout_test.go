package scale

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// maxMemory is what the functions' process may take.
const maxMemory = 256 << 20

// BenchmarkTwentyMillion is a post by an author with 20,000,000 followers in
// 2,000 index documents: it is carried to them, edited and deleted, and
// carried again by functions that are killed on the way. Each x-plain is its
// time over that of the plain loop, which runs before it and after it. There is
// one round: the emulator keeps what was deleted in memory, and three fill 14 GB.
func BenchmarkTwentyMillion(b *testing.B) {
	s := start(b)
	c := crowd{client: s.Client(), author: "author", documents: 2_000}
	c.load(b, parallel)
	small := crowd{client: s.Client(), author: "small", documents: 100, first: 1e9}
	small.load(b, parallel)
	plain{small, parallel}.run(b) // warms up the emulator
	s.posts(small, 1)
	loop := plain{c, parallel}
	for b.Loop() {
		before := loop.run(b)
		var ours times
		ours.post = s.post("author", "post")
		c.check(b, "post", "first", parallel)
		ours.edit = s.edit("post")
		c.check(b, "post", "second", parallel)
		ours.drop = s.drop("post")
		if n := s.count("author"); n != 0 {
			b.Errorf("%d relations of a deleted post", n)
		}
		after := loop.run(b)
		beside := func(what string, ours, before, after time.Duration) {
			plain := (before + after).Seconds() / 2
			report(b, ours.Seconds(), what+"-s")
			report(b, plain, "plain-"+what+"-s")
			report(b, ours.Seconds()/plain, what+"-x-plain")
		}
		beside("post", ours.post, before.post, after.post)
		beside("edit", ours.edit, before.edit, after.edit)
		beside("delete", ours.drop, before.drop, after.drop)
		s.killedOnTheWay(c)
		report(b, float64(s.peakMemory())/(1<<20), "peak-MiB")
		report(b, s.Longest("OnJobWritten").Seconds(), "longest-step-s")
		report(b, float64(c.documents), "relations")
		report(b, 0, "ns/op")
	}
	if peak := s.peakMemory(); peak > maxMemory {
		b.Errorf("the functions held %d MiB, want at most %d", peak>>20, maxMemory>>20)
	}
	if longest := s.Longest("OnJobWritten"); longest > budget {
		b.Errorf("a step took %v, its budget is %v", longest, budget)
	}
}

// killedOnTheWay kills the functions when a part of a post's relations is
// there: the rest comes, and nothing twice.
func (s *system) killedOnTheWay(c crowd) {
	s.b.Helper()
	s.write(c.author, "killed")
	there := 0
	for there < c.documents/4 {
		there = s.count(c.author)
	}
	if there == c.documents {
		s.b.Error("all relations were there before the functions could be killed")
	}
	s.kill()
	s.idle()
	c.check(s.b, "killed", "first", parallel)
	s.drop("killed")
	report(s.b, float64(there), "killed-at")
}

// BenchmarkGrowth is the time per relation for posts of authors with 10 to
// 2,000 full index documents, at least 500 relations at a time: 50 posts by the
// smallest, one by the largest. It is the mean of two rounds over all sizes, after
// one over the small ones that warms up the emulator and the functions.
func BenchmarkGrowth(b *testing.B) {
	s := start(b)
	sizes := []int{10, 100, 1_000, 2_000}
	crowds := map[int]crowd{}
	for n, documents := range sizes {
		c := crowd{client: s.Client(), author: fmt.Sprintf("author%d", documents), documents: documents, first: n * 1e8}
		c.load(b, parallel)
		crowds[documents] = c
	}
	const rounds = 2
	took := map[int]time.Duration{} // per relation, in all rounds together
	peak := map[int]int64{}         // once this size and the smaller ones have been through, in bytes
	for round := range 1 + rounds {
		for _, documents := range sizes {
			n := max(1, 500/documents)
			if round == 0 && n == 1 {
				continue
			}
			t := s.posts(crowds[documents], n) / time.Duration(n*documents)
			if round == 0 {
				continue
			}
			took[documents] += t
			if round == 1 {
				peak[documents] = s.peakMemory()
			}
		}
	}
	for _, documents := range sizes {
		b.Run(fmt.Sprintf("documents=%d", documents), func(b *testing.B) {
			report(b, took[documents].Seconds()*1e3/rounds, "ms/relation")
			report(b, float64(peak[documents])/(1<<20), "peak-MiB")
			report(b, 0, "ns/op")
		})
	}
}

// posts writes n posts of an author at once, waits for their relations, and
// deletes them. It returns how long the relations took.
func (s *system) posts(c crowd, n int) time.Duration {
	s.b.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", c.author, i)
	}
	var took time.Duration
	if c.documents > schema.DefaultInlineLimit && n == 1 {
		took = s.post(c.author, names[0])
	} else {
		took = timed(func() {
			for _, name := range names {
				s.write(c.author, name)
			}
			s.idle()
		})
	}
	if there := s.count(c.author); there != n*c.documents {
		s.b.Fatalf("%d posts of %s have %d relations, want %d", n, c.author, there, n*c.documents)
	}
	must(s.b, testkit.WriteEach(s.b.Context(), s.Client(), names, func(w *firestore.BulkWriter, name string) (*firestore.BulkWriterJob, error) {
		return w.Delete(s.Client().Doc("posts/" + name))
	}))
	s.idle()
	return took
}
