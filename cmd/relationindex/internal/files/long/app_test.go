package long

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
	"example.com/relationindex/schema"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/testkit"
)

// follows are the documents of graph.txt with this text, whose rows are follower and followed.
func follows(t testing.TB, text string) iter.Seq2[files.Document, error] {
	t.Helper()
	kind := files.Follows(names.Collections{})
	columns, err := kind.Columns("follower=1,followed=2")
	if err != nil {
		t.Fatal(err)
	}
	return kind.Documents(rows.Rows("graph.txt", strings.NewReader(text), columns))
}

// app is an app that has functions once they are registered.
type app struct{ *testkit.App }

func open(t *testing.T, cfg schema.Config) *app {
	t.Helper()
	return &app{testkit.OpenApp(t, cfg)}
}

// direct imports text, and must succeed with n rows. It returns what that cost.
func (s *app) direct(text string, n int, o files.ImportOptions, interceptors ...wire.Interceptor) wire.Counts {
	s.T.Helper()
	var meter wire.Meter
	summary, err := files.Direct(s.T.Context(), s.Instance(append(interceptors, meter.Interceptor())...), follows(s.T, text), o)
	if err != nil || summary.Imported != int64(n) {
		s.T.Fatalf("%v, %v; want %d imported", summary, err, n)
	}
	return meter.Counts()
}

// posts writes n posts of an author.
func (s *app) posts(author string, n int) {
	s.T.Helper()
	for p := range n {
		s.Post(fmt.Sprintf("%s-%d", author, p), author, time.Unix(int64(1e9+p), 0))
	}
}

// wantVerified checks every invariant, and that there are so many follows.
func (s *app) wantVerified(follows int) {
	s.T.Helper()
	counts, err := verify.New(s.Instance()).All(s.T.Context(), func(v verify.Violation) { s.T.Errorf("verify: %v", v) }, nil)
	if err != nil {
		s.T.Fatal(err)
	}
	if counts.Followers != int64(follows) {
		s.T.Errorf("%d follows, want %d", counts.Followers, follows)
	}
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
