package importer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// system is an app that has functions once they are registered.
type system struct{ *testkit.App }

func newSystem(t *testing.T, cfg config.Functions) *system {
	t.Helper()
	return &system{testkit.OpenApp(t, cfg)}
}

// direct imports text, and must succeed with n rows. It returns what that cost.
func (s *system) direct(text string, n int, o importer.Options, interceptors ...wire.Interceptor) wire.Counts {
	s.T.Helper()
	var meter wire.Meter
	summary, err := importer.Direct(s.T.Context(), s.Instance(append(interceptors, meter.Interceptor())...), followsOf(s.T, text), o)
	if err != nil || summary.Imported != int64(n) {
		s.T.Fatalf("%v, %v; want %d imported", summary, err, n)
	}
	return meter.Counts()
}

// posts writes n posts of an author.
func (s *system) posts(author string, n int) {
	s.T.Helper()
	for p := range n {
		s.Post(fmt.Sprintf("%s-%d", author, p), author, time.Unix(int64(1e9+p), 0))
	}
}

// wantVerified checks every invariant, and that there are so many follows.
func (s *system) wantVerified(follows int) {
	s.T.Helper()
	counts, err := verify.New(s.Instance()).All(s.T.Context(), func(v verify.Violation) { s.T.Errorf("verify: %v", v) }, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	if counts.Followers != int64(follows) {
		s.T.Errorf("%d follows, want %d", counts.Followers, follows)
	}
}

// exists says whether a document is there.
func (s *system) exists(path string) bool {
	s.T.Helper()
	docs, err := s.Client.GetAll(s.T.Context(), []*firestore.DocumentRef{s.Client.Doc(path)})
	if err != nil {
		s.T.Fatal(err)
	}
	return docs[0].Exists()
}

// graph is a file of n rows among some accounts, and how many follows it has:
// some rows come twice. Account a0 is the most popular.
func graph(seed uint64, accounts, n int) (text string, follows int) {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	seen := map[string]bool{}
	for range n {
		author := random.IntN(1 + random.IntN(accounts))
		follower := (author + 1 + random.IntN(accounts-1)) % accounts
		row := fmt.Sprintf("a%d a%d\n", follower, author)
		seen[row] = true
		b.WriteString(row)
	}
	return b.String(), len(seen)
}

// onCommit calls do before the n-th commit that match accepts; 0: never.
func onCommit(n int64, match func(*pb.CommitRequest) bool, do func()) wire.Interceptor {
	var commits atomic.Int64
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok && n > 0 && match(commit) && commits.Add(1) == n {
			do()
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

// ofFollowers matches the commit that writes follower documents.
func ofFollowers(commit *pb.CommitRequest) bool {
	return len(commit.GetWrites()) > 0 && strings.Contains(commit.GetWrites()[0].GetUpdate().GetName(), "/followers/")
}
