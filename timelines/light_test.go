package timelines_test

import (
	"fmt"
	"testing"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// Buckets that are read without their entries are closed with these, also when more readers than a
// transaction reads whole are in step, and take no entry twice.
func TestLightBucketsCloseWithTheirEntries(t *testing.T) {
	t.Parallel()
	const size, posts, crowd = 10, 24, 20
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(size, 0).Light(), Backfill: 100})
	var readers []string
	for n := range crowd {
		readers = append(readers, fmt.Sprintf("r%02d", n))
		w.joins(readers[n])
	}
	var want []string
	for n := range posts {
		want = append([]string{fmt.Sprintf("p%02d", n)}, want...)
		w.post(want[0])
	}
	w.joins("late") // gets them in a backfill
	for _, p := range want {
		w.must(w.d.Post(t.Context(), p))
	}
	for _, r := range append(readers, "late") {
		w.wantFeed(r, want...)
		entries, err := w.newest(r)
		w.must(err)
		for _, e := range entries {
			if e.Author != "ada" || e.Audience != "ada" || e.At == 0 {
				t.Errorf("%s has the entry %+v", r, e)
			}
		}
	}
	if last := w.data("users/r00/timeline/open")["sequence"]; last != int64(3) {
		t.Errorf("open is number %v, want 3", last)
	}
}

// A post costs one read of open, without its entries, unless open is closed.
func TestLightOpenBucketCostsOneRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, timelines.Options{Layout: layout.NewBuckets(10, 0).Light()})
	w.joins("r1")
	for n := range 9 {
		w.post(fmt.Sprint("p", n))
	}
	reads := func(p string) int64 {
		var meter wire.Meter
		w.write(p)
		w.must(w.event(w.open(meter.Interceptor()), p)())
		return meter.Counts().Reads
	}
	ninth, closing := reads("p9"), reads("q0")
	if closing != ninth+2 { // open again, and the bucket that is overwritten
		t.Errorf("the post that closes open costs %d reads, the one before %d; want two more", closing, ninth)
	}
}
