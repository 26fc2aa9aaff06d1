package scale

import (
	"fmt"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/relations/plan"
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
//
// A step begins no page after its time, and finishes the one that it is in: it takes at most its time and the
// longest page. That is measured first, while as many steps of an author run as may.
func BenchmarkTwentyMillion(b *testing.B) {
	s := start(b)
	c := crowd{client: s.Client(), author: "author", documents: 2_000}
	c.load(b, parallel)
	small := crowd{client: s.Client(), author: "small", documents: plan.CopiesOfBytes(s.Config().WithDefaults(), schema.CopiesBytes), first: 1e9}
	small.load(b, parallel)
	plain{small, parallel}.run(b)     // warms up the emulator
	s.posts(small, schema.OwnerTurns) // each takes a job with one page
	page := s.Longest("OnJobWritten")
	report(b, page.Seconds(), "longest-page-s")
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
	if longest := s.Longest("OnJobWritten"); longest > step+page {
		b.Errorf("a step took %v, want at most its %v and the longest page's %v", longest, step, page)
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

// posts writes n posts of an author at once, waits for their relations, and deletes them.
func (s *system) posts(c crowd, n int) {
	s.b.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", c.author, i)
		s.write(c.author, names[i])
	}
	s.idle()
	if there := s.count(c.author); there != n*c.documents {
		s.b.Fatalf("%d posts of %s have %d relations, want %d", n, c.author, there, n*c.documents)
	}
	must(s.b, testkit.WriteEach(s.b.Context(), s.Client(), names, func(w *firestore.BulkWriter, name string) (*firestore.BulkWriterJob, error) {
		return w.Delete(s.Client().Doc("posts/" + name))
	}))
	s.idle()
}
