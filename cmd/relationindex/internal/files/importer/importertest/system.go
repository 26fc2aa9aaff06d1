// Package importertest is an app whose graph a test of package importer imports.
package importertest

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
	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/testkit"
)

// System is an app that has functions once they are registered.
type System struct{ *testkit.App }

// New returns a system without functions.
func New(t *testing.T, cfg config.Functions) *System {
	t.Helper()
	return &System{testkit.OpenApp(t, cfg)}
}

// Direct imports text, and must succeed with n rows. It returns what that cost.
func (s *System) Direct(text string, n int, o importer.Options, interceptors ...wire.Interceptor) wire.Counts {
	s.T.Helper()
	var meter wire.Meter
	summary, err := importer.Direct(s.T.Context(), s.Instance(append(interceptors, meter.Interceptor())...), FollowsOf(s.T, text), o)
	if err != nil || summary.Imported != int64(n) {
		s.T.Fatalf("%v, %v; want %d imported", summary, err, n)
	}
	return meter.Counts()
}

// Posts writes n posts of an author.
func (s *System) Posts(author string, n int) {
	s.T.Helper()
	for p := range n {
		s.Post(fmt.Sprintf("%s-%d", author, p), author, time.Unix(int64(1e9+p), 0))
	}
}

// WantVerified checks every invariant, and that there are so many follows.
func (s *System) WantVerified(follows int) {
	s.T.Helper()
	counts, err := verify.New(s.Instance()).All(s.T.Context(), func(v verify.Violation) { s.T.Errorf("verify: %v", v) }, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	if counts.Followers != int64(follows) {
		s.T.Errorf("%d follows, want %d", counts.Followers, follows)
	}
}

// Exists says whether a document is there.
func (s *System) Exists(path string) bool {
	s.T.Helper()
	docs, err := s.Client.GetAll(s.T.Context(), []*firestore.DocumentRef{s.Client.Doc(path)})
	if err != nil {
		s.T.Fatal(err)
	}
	return docs[0].Exists()
}

// Written is how many documents the functions have written or deleted.
func (s *System) Written() int64 {
	if s.System == nil {
		return 0
	}
	used := s.Meter.Counts()
	return used.Writes + used.Deletes
}

// Graph is a file of n rows among some accounts, and how many follows it has:
// some rows come twice. Account a0 is the most popular.
func Graph(seed uint64, accounts, n int) (text string, follows int) {
	random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // the same graph for a seed
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

// OnCommit calls do before the n-th commit that match accepts; 0: never.
func OnCommit(n int64, match func(*pb.CommitRequest) bool, do func()) wire.Interceptor {
	var commits atomic.Int64
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if commit, ok := req.(*pb.CommitRequest); ok && n > 0 && match(commit) && commits.Add(1) == n {
			do()
		}
		return invoke(ctx, method, req, reply, cc, opts...)
	}}
}

// OfFollowers matches the commit that writes follower documents.
func OfFollowers(commit *pb.CommitRequest) bool {
	return len(commit.GetWrites()) > 0 && strings.Contains(commit.GetWrites()[0].GetUpdate().GetName(), "/followers/")
}

// Followers are the rows of an author's followers by number.
func Followers(from, to int, author string) string {
	var b strings.Builder
	for n := from; n < to; n++ {
		fmt.Fprintf(&b, "f%d %s\n", n, author)
	}
	return b.String()
}

// FollowsOf returns the follows of a text, one a line: "follower followed".
func FollowsOf(t testing.TB, text string) func(yield func(importer.Document, error) bool) {
	t.Helper()
	return importer.Follows("graph.txt", strings.NewReader(text), Columns(t, importer.FollowColumns, "follower=1,followed=2"), names.Collections{})
}

// Columns parses a choice of columns.
func Columns(t testing.TB, parse func(string) (edgelist.Columns, error), spec string) edgelist.Columns {
	t.Helper()
	c, err := parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
