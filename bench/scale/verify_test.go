package scale

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/api/iterator"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/social"
)

var followers = flag.Int("followers", 1_000_000, "followers of the author of BenchmarkVerify, a multiple of 100,000, and a twentieth of those of BenchmarkVerifyRelations")

// The bounds of verify and repair: heap bytes, and their time over that of a plain loop that reads the same documents.
const (
	maxHeap  = 512 << 20
	maxTimes = 1.5
)

// BenchmarkVerify is verify, and repair when an index document is lost, of an author with a tenth of -followers, and with
// all of them. times-plain is the time of verify over that of a plain loop, which runs before it and after it.
func BenchmarkVerify(b *testing.B) {
	host := startEmulator(b)
	peaks := map[int]int64{}
	for _, n := range []int{*followers / 10, *followers} {
		b.Run(fmt.Sprintf("followers=%d", n), func(b *testing.B) {
			v := openVerified(b, host, n)
			v.load(b)
			for b.Loop() {
				ratio, peak := v.beside(b, func(index *social.System) (verify.Verified, error) {
					return verify.New(index).All(b.Context(), v.named(b), nil)
				}, v.everything())
				peaks[n] = peak
				if n == *followers && ratio > maxTimes {
					b.Errorf("verify takes %.2f times what a plain loop does, want at most %v", ratio, maxTimes)
				}
				must(b, deleteDocument(b.Context(), v.document(0)))
				var repaired repair.Repaired
				peak = peakHeap(func() {
					var err error
					repaired, err = repair.New(v.index(b)).Repair(b.Context(), "", nil, nil)
					must(b, err)
				})
				if repaired.Before.Violations < capacity || repaired.After.Violations > 0 {
					b.Errorf("a repair finds %+v and leaves %+v", repaired.Before, repaired.Left)
				}
				report(b, float64(peak)/(1<<20), "repair-peak-MiB")
				wantHeap(b, "repair", peak)
			}
		})
	}
	if small := peaks[*followers/10]; *followers >= 1_000_000 && float64(peaks[*followers]) > 1.5*float64(small) {
		b.Errorf("verify held %d MiB for a tenth of the followers and %d MiB for all, want it flat", small>>20, peaks[*followers]>>20)
	}
}

// BenchmarkVerifyRelations is the part of verify that compares index documents with relations, for an author with 20 times
// -followers and one post.
func BenchmarkVerifyRelations(b *testing.B) {
	v := openVerified(b, startEmulator(b), 20**followers)
	v.crowd.load(b, parallel)
	v.post(b)
	for b.Loop() {
		ratio, _ := v.beside(b, func(index *social.System) (verify.Verified, error) {
			return verify.New(index).Relations(b.Context(), v.named(b), nil)
		}, []firestore.Query{
			v.client.CollectionGroup(names.FollowersIndex).Query, v.client.Collection(names.Relations).Query, v.client.Collection("posts").Query,
		})
		if ratio > maxTimes {
			b.Errorf("it takes %.2f times what a plain loop does, want at most %v", ratio, maxTimes)
		}
	}
}

// verified is a crowd without functions, which verify finds sound.
type verified struct {
	crowd
	followers     int
	host, project string
}

func startEmulator(b *testing.B) (host string) {
	b.Helper()
	e, err := emulator.Start(b.Context(), emulator.Options{JavaArgs: []string{"-Xmx14g"}})
	must(b, err)
	b.Cleanup(func() { must(b, e.Close()) })
	return e.FirestoreHost()
}

func openVerified(b *testing.B, host string, followers int) verified {
	b.Helper()
	v := verified{followers: followers, host: host, project: fmt.Sprintf("demo-verify-%d", followers)}
	v.crowd = crowd{client: v.open(b), author: "author", documents: followers / capacity}
	return v
}

func (v verified) open(b *testing.B) *firestore.Client {
	b.Helper()
	client, err := wire.Open(b.Context(), v.project, v.host)
	must(b, err)
	b.Cleanup(func() { _ = client.Close() })
	return client
}

func (v verified) index(b *testing.B) *social.System {
	b.Helper()
	client := v.open(b)
	x, err := social.Open(client, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}})
	must(b, err)
	return x
}

// load writes the whole crowd: index documents, follower documents, edges, a post and its relations.
func (v verified) load(b *testing.B) {
	b.Helper()
	v.crowd.load(b, parallel)
	v.post(b)
	now := time.Now()
	const atOnce = 250
	inParallel(b, v.followers/atOnce, parallel, func(ctx context.Context, part int) error {
		batch := v.client.Batch() //nolint:staticcheck // one commit is what is wanted
		for n := part * atOnce; n < (part+1)*atOnce; n++ {
			f := followerID(n)
			batch.Set(v.client.Doc("users/"+v.author+"/followers/"+f), map[string]any{"createdAt": now})
			batch.Set(v.client.Doc("users/"+f+"/following/"+v.author), map[string]any{"createdAt": now, "indexId": indexID(n / capacity)})
		}
		_, err := batch.Commit(ctx)
		return err
	})
}

// post writes a post and its relations.
func (v verified) post(b *testing.B) {
	b.Helper()
	now := time.Now()
	post := map[string]any{"userId": v.author, "createdAt": now, "text": "first"}
	_, err := v.client.Doc("posts/post").Set(b.Context(), post)
	must(b, err)
	inParallel(b, v.documents, parallel, func(ctx context.Context, n int) error {
		_, err := v.client.Doc("_relations/post_"+indexID(n)).Set(ctx, map[string]any{
			"postId": "post", "userId": v.author, "audience": v.author, "indexId": indexID(n), "indexVersion": 1,
			"followers": v.crowd.followers(n), "sizeBytes": capacity * len(followerID(0)+"."), "createdAt": now, "text": "first",
		})
		return err
	})
}

// everything are queries for all that verify reads.
func (v verified) everything() []firestore.Query {
	return []firestore.Query{
		v.client.CollectionGroup("followers").Select(), v.client.CollectionGroup(names.FollowersIndex).Query,
		v.client.CollectionGroup(names.Following).Query, v.client.Collection(names.Relations).Query, v.client.Collection("posts").Query,
	}
}

// named fails the benchmark for what verify names: nothing is wrong.
func (v verified) named(b *testing.B) func(verify.Violation) {
	return func(violation verify.Violation) { b.Error(violation) }
}

// beside runs check between two runs of a plain loop over queries, and reports how long it takes of their time, and how
// much memory.
func (v verified) beside(b *testing.B, check func(*social.System) (verify.Verified, error), queries []firestore.Query) (ratio float64, peak int64) {
	b.Helper()
	read := func() time.Duration {
		return timed(func() {
			for _, q := range queries {
				must(b, readAll(b.Context(), q))
			}
		})
	}
	read() // warms up the emulator
	before := read()
	var took time.Duration
	var counts verify.Verified
	index := v.index(b)
	peak = peakHeap(func() {
		took = timed(func() {
			var err error
			counts, err = check(index)
			must(b, err)
		})
	})
	plain := (before + read()) / 2
	if counts.IndexDocuments != int64(v.documents) || counts.Relations != int64(v.documents) {
		b.Errorf("it read %+v, want %d index documents", counts, v.documents)
	}
	ratio = took.Seconds() / plain.Seconds()
	report(b, took.Seconds(), "verify-s")
	report(b, plain.Seconds(), "plain-s")
	report(b, ratio, "times-plain")
	report(b, float64(peak)/(1<<20), "peak-MiB")
	report(b, 0, "ns/op")
	wantHeap(b, "verify", peak)
	return ratio, peak
}

// readAll is the plain loop.
func readAll(ctx context.Context, q firestore.Query) error {
	it := q.Documents(ctx)
	defer it.Stop()
	for {
		if _, err := it.Next(); errors.Is(err, iterator.Done) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func deleteDocument(ctx context.Context, ref *firestore.DocumentRef) error {
	_, err := ref.Delete(ctx)
	return err
}

func wantHeap(b *testing.B, what string, peak int64) {
	b.Helper()
	if peak > maxHeap {
		b.Errorf("%s held %d MiB, want at most %d", what, peak>>20, maxHeap>>20)
	}
}

// peakHeap is the most heap that this process has while run does its work, with what is not collected yet.
func peakHeap(run func()) (peak int64) {
	debug.FreeOSMemory()
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(sample)
			peak = max(peak, int64(sample[0].Value.Uint64())) //nolint:gosec // far from 1<<63
			select {
			case <-tick.C:
			case <-done:
				return
			}
		}
	}()
	run()
	close(done)
	<-stopped
	return peak
}
