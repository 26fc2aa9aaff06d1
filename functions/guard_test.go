package functions_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"example.com/relationindex/accounts"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// shadow is a guard with something missing in its index file. It judges the
// calls of a client and lets all of them through.
type shadow struct {
	guard *guard.Guard

	mu      sync.Mutex
	refused []error
}

// without is a shadow that lacks an element of a list of firestore.indexes.json.
func without(t *testing.T, list string, lacks func(element map[string]any) bool) *shadow {
	t.Helper()
	data, err := os.ReadFile("../firestore.indexes.json")
	if err != nil {
		t.Fatal(err)
	}
	var file map[string][]map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	had := len(file[list])
	file[list] = slices.DeleteFunc(file[list], lacks)
	if len(file[list]) != had-1 {
		t.Fatalf("%d of %d %s are left, want one less", len(file[list]), had, list)
	}
	if data, err = json.Marshal(file); err != nil {
		t.Fatal(err)
	}
	s := &shadow{}
	if s.guard, err = guard.Parse(data); err != nil {
		t.Fatal(err)
	}
	s.guard.Refused = func(err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.refused = append(s.refused, err)
	}
	t.Cleanup(func() { _ = s.guard.Close() })
	return s
}

// names says whether a refusal has all of words in it.
func (s *shadow) names(words ...string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.refused, func(err error) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(err.Error(), w) })
	})
}

func (s *shadow) interceptor() wire.Interceptor {
	return wire.Interceptor{
		Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			judged := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
			_ = s.guard.Unary(ctx, method, req, reply, cc, judged, opts...) // Refused has it
			return invoke(ctx, method, req, reply, cc, opts...)
		},
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			stream, err := open(ctx, desc, cc, method, opts...)
			if err != nil {
				return nil, err
			}
			nowhere := func(context.Context, *grpc.StreamDesc, *grpc.ClientConn, string, ...grpc.CallOption) (grpc.ClientStream, error) {
				return sink{}, nil
			}
			judge, err := s.guard.Stream(ctx, desc, cc, method, nowhere)
			return judgedStream{stream, judge}, err
		},
	}
}

type sink struct{ grpc.ClientStream }

func (sink) SendMsg(any) error { return nil }

type judgedStream struct {
	grpc.ClientStream
	judge grpc.ClientStream
}

func (s judgedStream) SendMsg(req any) error {
	_ = s.judge.SendMsg(req) // Refused has it
	return s.ClientStream.SendMsg(req)
}

// Production would reject a query or write of the functions, readers or operators without one of the composites, or the
// exemption that makes room for the feed's, of firestore.indexes.json. The test removes each in turn, and a guard with the
// others names the query or the limit.
func TestEveryIndexIsNeeded(t *testing.T) {
	t.Parallel()
	on := func(group string, fields ...string) func(map[string]any) bool {
		return func(x map[string]any) bool {
			var paths []string
			for _, f := range x["fields"].([]any) {
				paths = append(paths, f.(map[string]any)["fieldPath"].(string))
			}
			return x["collectionGroup"] == group && slices.Equal(paths, fields)
		}
	}
	exemption := func(group, path string) func(map[string]any) bool {
		return func(x map[string]any) bool { return x["collectionGroup"] == group && x["fieldPath"] == path }
	}
	missing := []struct {
		what   string
		guard  *shadow
		refuse []string
	}{
		{"the feed's composite", without(t, "indexes", on("_relations", "followers", "createdAt")),
			[]string{"_relations where followers array-contains ? order by createdAt desc", "requires an index"}},
		{"sync's composite", without(t, "indexes", on("_relations", "audience", "indexId", "indexVersion")),
			[]string{"_relations where audience == ? and indexId == ? and indexVersion < ?", "requires an index"}},
		{"the exemption of the relations' followers", without(t, "fieldOverrides", exemption("_relations", "followers")),
			[]string{"_relations/p1_00001: index entries (20,000 in (followers CONTAINS), 20,000 in (followers CONTAINS, createdAt DESCENDING)", "more than 40,000"}},
	}
	var shadows []wire.Interceptor
	for _, m := range missing {
		shadows = append(shadows, m.guard.interceptor())
	}
	theStory(t, shadows...)
	for _, m := range missing {
		if !m.guard.names(m.refuse...) {
			t.Errorf("without %s nothing is refused with %q, but %d others: %v", m.what, m.refuse, len(m.guard.refused), m.guard.refused[:min(3, len(m.guard.refused))])
		}
	}
}

// theStory is a bit of everything: an author with a full index document posts, is followed and left, edits, deletes;
// jobs run, are listed and swept; everything is verified and repaired; the account is deleted.
func theStory(t *testing.T, interceptors ...wire.Interceptor) {
	t.Helper()
	a := newApp(t, schema.Config{NoOwnPosts: true, CopiedFields: []string{"text"}, InlineLimit: 2, Chunk: 2}, interceptors...)
	const full = 10_000
	followers := make([]string, full)
	for i := range followers {
		followers[i] = fmt.Sprintf("follower-%019d", i)
	}
	a.Must(a.Client.Doc("users/author").Set(t.Context(), map[string]any{"followers_index": []string{"00001"}, "latestFollowersIndex": "00001"}))
	a.Must(a.Client.Doc("users/author/followers_index/00001").Set(t.Context(), map[string]any{
		"followers": followers, "count": full, "sizeBytes": full * 29, "version": 1, "changes": []any{}, "backfilled": true,
	}))
	a.Post("p1", "author", day)
	a.Settle()
	for i := range 4 {
		a.Post(fmt.Sprintf("q%d", i), "other", day.Add(time.Duration(i)*time.Hour))
	}
	a.Follow("reader", "author")
	a.Follow("reader", "other")
	a.Settle()
	operator := a.Worker(0, interceptors...)
	found, err := feed.Query(operator.Client, "reader").Limit(50).Documents(t.Context()).GetAll()
	if err != nil || len(found) != 5 {
		t.Fatalf("the feed has %d posts (%v), want 5", len(found), err)
	}
	a.Unfollow("reader", "other")
	a.Must(a.Client.Doc("posts/q0").Delete(t.Context()))
	a.Settle()
	listed, err := operator.List(t.Context(), 10)
	if err != nil || len(listed) == 0 {
		t.Errorf("%d jobs are listed (%v), want those of other", len(listed), err)
	}
	_, failed := operator.List(t.Context(), 10, chunker.Failed)
	_, swept := operator.Sweep(t.Context(), chunker.NewBudget(t.Context(), time.Now(), time.Minute, 0, time.Now))
	_, verified := verify.New(operator.Index).All(t.Context(), func(verify.Violation) {}, nil)
	_, verifiedOne := verify.New(operator.Index).Author(t.Context(), "author", func(verify.Violation) {}, nil)
	_, repaired := repair.New(operator.Index).Repair(t.Context(), "other", nil, nil)
	traced := operator.Index.Accounts.Traces(t.Context(), "other", func(accounts.Trace) {}, nil)
	testkit.NoError(t, errors.Join(failed, swept, verified, verifiedOne, repaired, traced))
	a.Must(a.Client.Doc("users/other").Set(t.Context(), map[string]any{"name": "other"}))
	a.Must(a.Client.Doc("users/other").Delete(t.Context()))
	a.Settle()
}
