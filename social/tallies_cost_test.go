package social_test

import (
	"context"
	"testing"

	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/tallies"
)

// before returns an interceptor that calls see with each request of a stream, before it is sent.
func before(see func(req any)) grpc.StreamClientInterceptor {
	return func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return seenStream{s, see}, err
	}
}

type seenStream struct {
	grpc.ClientStream
	see func(req any)
}

func (s seenStream) SendMsg(req any) error {
	s.see(req)
	return s.ClientStream.SendMsg(req)
}

// A number costs its document, a count, and where it differs a write and a count; what has not changed costs no write.
func TestCostsOfTallies(t *testing.T) {
	t.Parallel()
	a := openApp(t, "eve")
	a.post("p", "eve", "eve", "ann")
	a.like("p", "eve", "l1", "l2")
	a.comment("p", "c1", "l1", "eve/eve")
	const (
		number = 1 + 1             // the document, a count
		begins = 1 + 1             // a new notification: the account and the post once more
		like   = 1 + 1 + 1 + 1 + 1 // the account, the post, who is blocked, a count, the account's own
	)
	for _, c := range []struct {
		name           string
		of             tallies.Subject
		first, further int64 // reads, where it differs and where it does not
	}{
		{"likes", tallies.Likes("p"), number + 1, number},
		{"comments", tallies.Comments("p"), number + 1, number},
		{"followers, none", tallies.Followers("eve"), number, number},
		{"posts", tallies.Posts("eve"), number + 1, number},
		{"of a post that is not there", tallies.Likes("none"), 1, 1},
		{"notification of a like", tallies.Notification("eve", tallies.Like, "p"), 1 + 2*(like+3) + begins, 1 + like + 3},
		{"notification of a comment", tallies.Notification("eve", tallies.Comment, "p"), 1 + 2*(like+1) + begins, 1 + like + 1},
		{"notification of somebody without a profile", tallies.Notification("ann", tallies.Mention, "p"), 2, 2},
	} {
		for n, want := range []int64{c.first, c.further} {
			var meter wire.Meter
			x := a.Instance(meter.Interceptor()).Tallies
			a.begin(func() error { return x.Tally(t.Context(), c.of) })()
			writes := int64(0)
			if c.first > c.further && n == 0 {
				writes = 1
			}
			if used := meter.Counts(); used.Reads != want || used.Writes != writes || used.Deletes > 0 {
				t.Errorf("%s, time %d: %v; want %d reads, %d writes", c.name, n+1, used, want, writes)
			}
		}
	}
}
