package importer_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

// system is a project of a test's own.
type system struct {
	t              *testing.T
	id             string
	cfg            config.Functions
	client         *firestore.Client
	*local.Project // nil until its triggers are registered
}

func newSystem(t *testing.T, cfg config.Functions) *system {
	t.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(t.Name()))
	id := fmt.Sprintf("demo-%.40s-%d", name, time.Now().UnixNano()%1e9)
	return &system{t: t, id: id, cfg: cfg, client: openProject(t, id)}
}

// register connects functions to the project from now on.
func (s *system) register() {
	s.t.Helper()
	p, err := machine.Project(s.t.Context(), s.id, s.cfg, logging.New(s.t.Output(), slog.LevelInfo))
	if err != nil {
		s.t.Fatal(err)
	}
	s.Project = p
}

func (s *system) idle() {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 3*time.Minute)
	defer cancel()
	if err := s.Idle(ctx); err != nil {
		s.t.Fatal(err)
	}
}

// index is the index of the project, for a process of its own, whose calls
// interceptors see.
func (s *system) index(interceptors ...wire.Interceptor) *relations.Index {
	s.t.Helper()
	c := openProject(s.t, s.id, interceptors...)
	x, err := relations.New(c, chunker.New(c, chunker.Options{}), s.cfg.RelationsOptions())
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

// direct imports text, and must succeed with n rows. It returns what that cost.
func (s *system) direct(text string, n int, o importer.Options, interceptors ...wire.Interceptor) wire.Counts {
	s.t.Helper()
	var meter wire.Meter
	summary, err := importer.Direct(s.t.Context(), s.index(append(interceptors, meter.Interceptor())...), followsOf(s.t, text), o)
	if err != nil || summary.Imported != int64(n) {
		s.t.Fatalf("%v, %v; want %d imported", summary, err, n)
	}
	return meter.Counts()
}

func (s *system) set(path string, data map[string]any) {
	s.t.Helper()
	if _, err := s.client.Doc(path).Set(s.t.Context(), data); err != nil {
		s.t.Fatal(err)
	}
}

func (s *system) follow(follower, author string) {
	s.t.Helper()
	s.set("users/"+author+"/followers/"+follower, map[string]any{"createdAt": firestore.ServerTimestamp})
}

func (s *system) unfollow(follower, author string) {
	s.t.Helper()
	if _, err := s.client.Doc("users/" + author + "/followers/" + follower).Delete(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// posts writes n posts of an author.
func (s *system) posts(author string, n int) {
	s.t.Helper()
	for p := range n {
		s.set(fmt.Sprintf("posts/%s-%d", author, p), map[string]any{"userId": author, "createdAt": time.Unix(int64(1e9+p), 0)})
	}
}

// wantVerified checks every invariant, and that there are so many follows.
func (s *system) wantVerified(follows int) {
	s.t.Helper()
	counts, err := s.index().Verify(s.t.Context(), func(v relations.Violation) { s.t.Errorf("verify: %v", v) }, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if counts.Followers != int64(follows) {
		s.t.Errorf("%d follows, want %d", counts.Followers, follows)
	}
}

// exists says whether a document is there.
func (s *system) exists(path string) bool {
	s.t.Helper()
	docs, err := s.client.GetAll(s.t.Context(), []*firestore.DocumentRef{s.client.Doc(path)})
	if err != nil {
		s.t.Fatal(err)
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
