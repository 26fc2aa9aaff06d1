package bench

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

const (
	overwriteOps   = 1500
	overwriteUsers = 80
	overwriteMost  = 2.0 // times as long as without
)

// BenchmarkOverwrites is a server that writes user documents whole, and so drops
// the two fields that name the index documents: 1,500 follows, unfollows and
// posts among 80 users with five followers an index document, with such a
// write beside every fifth, take at most twice as long as without.
func BenchmarkOverwrites(b *testing.B) {
	for b.Loop() {
		without := overwrites(b, false)
		with := overwrites(b, true)
		times := with.Seconds() / without.Seconds()
		b.ReportMetric(without.Seconds(), "s-without")
		b.ReportMetric(with.Seconds(), "s-with")
		b.ReportMetric(times, "times")
		b.ReportMetric(0, "ns/op")
		if times > overwriteMost {
			b.Errorf("with overwritten user documents it takes %.2f times as long, want at most %v", times, overwriteMost)
		}
	}
}

// overwrites does the operations, always the same ones, and returns how long it
// took until idle.
func overwrites(b *testing.B, overwrite bool) time.Duration {
	b.Helper()
	p := project(b, schema.Config{NoOwnPosts: true, Capacity: 5})
	random := rand.New(rand.NewPCG(1, 1)) // the same operations every time
	user := func() string {
		return fmt.Sprintf("user%02d", int(float64(overwriteUsers)*random.Float64()*random.Float64()))
	}
	started := time.Now()
	group, ctx := errgroup.WithContext(b.Context())
	group.SetLimit(16)
	for n := range overwriteOps {
		author, reader, kind := user(), user(), random.IntN(10)
		if author == reader {
			reader = "reader"
		}
		follower := p.Client.Doc("users/" + author + "/followers/" + reader)
		group.Go(func() (err error) {
			switch {
			case kind == 0:
				_, err = p.Client.Doc(fmt.Sprintf("posts/post%04d", n)).Set(ctx, map[string]any{"userId": author, "createdAt": time.Now()})
			case kind < 4:
				_, err = follower.Delete(ctx)
			default:
				_, err = follower.Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
			}
			if err == nil && overwrite && n%5 == 0 {
				_, err = p.Client.Doc("users/"+author).Set(ctx, map[string]any{"name": author, "written": n})
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
	idle(b, p)
	took := time.Since(started)
	x := testkit.Index(b, p.ID, schema.Config{NoOwnPosts: true, Capacity: 5})
	if _, err := verify.New(x).All(b.Context(), func(v verify.Violation) {
		if !overwrite || strings.Count(v.Document, "/") > 1 { // the last write of a user document came after every event
			b.Error("verify:", v)
		}
	}, nil); err != nil {
		b.Fatal(err)
	}
	return took
}
