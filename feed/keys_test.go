package feed_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// instance is a Feed in a process of its own, with the keys that the database has.
func (db *database) instance(interceptors ...wire.Interceptor) (*feed.Feed, *feed.Keys, *wire.Meter) {
	db.t.Helper()
	meter := &wire.Meter{}
	client := testkit.Open(db.t, strings.Split(db.Doc("posts/p").Path, "/")[1], append([]wire.Interceptor{meter.Interceptor()}, interceptors...)...)
	keys := feed.NewKeys(client)
	return feed.New(client, schema.Config{NoOwnPosts: true}, keys), keys, meter
}

func (db *database) pages(n int) {
	db.t.Helper()
	for i := range n {
		db.post(fmt.Sprintf("p%02d", i), "bob", noon.Add(time.Duration(i)*time.Second), "00001")
	}
}

func first(t *testing.T, f *feed.Feed, from string) feed.Page {
	t.Helper()
	p, err := f.Page(t.Context(), "ada", 1, from)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Instances that start at once on a new database make one key, and each continues where another's
// page ended.
func TestInstancesAgreeOnTheKeysOfCursors(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	var group sync.WaitGroup
	var feeds []*feed.Feed
	for range 8 {
		f, keys, _ := db.instance()
		feeds = append(feeds, f)
		group.Go(func() {
			if err := keys.Make(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	cursor := first(t, feeds[0], "").Cursor
	for n, f := range feeds {
		if p := first(t, f, cursor); ids(p) != "p01" {
			t.Errorf("instance %d has %q", n, ids(p))
		}
		if again := first(t, f, ""); again.Cursor != cursor {
			t.Errorf("instance %d seals the same cursor to another text: its pages have other ETags", n)
		}
	}
}

// An instance reads the keys once. Pages, and cursors that were made up, read no more.
func TestKeysOfCursorsAreReadOnce(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	_, keys, _ := db.instance()
	if err := keys.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	f, _, meter := db.instance()
	for n, want := range []int64{2 + 2, 2, 2} { // a relation, its post, and once the horizon and the keys
		before := meter.Counts()
		first(t, f, "")
		if c := meter.Counts().Minus(before); c.Reads != want || c.Writes != 0 {
			t.Errorf("page %d took %v, want %d reads", n, c, want)
		}
	}
	before := meter.Counts()
	for i := range 10 {
		if _, err := f.Page(t.Context(), "ada", 1, strings.Repeat("A", 40+i)); !errors.Is(err, feed.ErrCursor) {
			t.Errorf("%d characters: %v, want ErrCursor", 40+i, err)
		}
	}
	if c := meter.Counts().Minus(before); c.Requests != 0 {
		t.Errorf("cursors that were made up took %v", c)
	}
}

// A newer key seals; an older one opens. An instance that has read the older one alone finds the newer
// within a minute.
func TestKeysOfCursorsRotate(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	keyed := func(all ...any) {
		t.Helper()
		if _, err := db.Doc("_settings/cursors").Set(t.Context(), map[string]any{"keys": all}); err != nil {
			t.Fatal(err)
		}
	}
	old, next := []byte(strings.Repeat("o", 32)), []byte(strings.Repeat("n", 32))
	keyed(old)
	before, keysBefore, _ := db.instance()
	now := noon
	keysBefore.SetNow(func() time.Time { return now })
	cursor := first(t, before, "").Cursor
	keyed(next, old)
	after, _, _ := db.instance()
	if p := first(t, after, cursor); ids(p) != "p01" {
		t.Errorf("a cursor of the older key brings %q", ids(p))
	}
	newer := first(t, after, "").Cursor
	if newer == cursor {
		t.Error("the older key seals")
	}
	if _, err := before.Page(t.Context(), "ada", 1, newer); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("at once: %v, want ErrCursor", err)
	}
	now = now.Add(time.Minute)
	if p := first(t, before, newer); ids(p) != "p01" {
		t.Errorf("after a minute, a cursor of the newer key brings %q", ids(p))
	}
	keyed(next)
	last, _, _ := db.instance()
	if _, err := last.Page(t.Context(), "ada", 1, cursor); !errors.Is(err, feed.ErrCursor) {
		t.Errorf("of a key that is gone: %v, want ErrCursor", err)
	}
}

// While the keys cannot be read, a cursor that does not open is no client's fault: it is tried again, with a read every
// few seconds.
func TestKeysOfCursorsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	away, reads := false, 0 // one read at a time
	fails := make(chan struct{})
	f, keys, _ := db.instance(wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		if away && strings.HasSuffix(method, "/BatchGetDocuments") {
			reads++
			<-fails
			return nil, status.Error(codes.PermissionDenied, "away")
		}
		return open(ctx, desc, cc, method, opts...)
	}})
	now := noon
	keys.SetNow(func() time.Time { return now })
	first(t, f, "")
	if _, err := db.Doc("_settings/cursors").Set(t.Context(), map[string]any{"keys": []any{[]byte(strings.Repeat("n", 32))}}); err != nil {
		t.Fatal(err)
	}
	other, _, _ := db.instance()
	newer := first(t, other, "").Cursor
	now, away = now.Add(time.Minute), true
	time.AfterFunc(100*time.Millisecond, func() { close(fails) }) // all are waiting, or have gone wrong
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			if _, err := f.Page(t.Context(), "ada", 1, newer); status.Code(err) != codes.PermissionDenied {
				t.Errorf("while keys cannot be read: %v, want the reason", err)
			}
		})
	}
	calls.Wait()
	if reads != 1 {
		t.Errorf("%d reads at one moment, want 1", reads)
	}
	now, away = now.Add(5*time.Second), false
	if p := first(t, f, newer); ids(p) != "p01" {
		t.Errorf("after it, the cursor brings %q", ids(p))
	}
}

// In production, Feed's account may read only. Another function makes the key.
func TestFeedWithoutKeysOfCursors(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	f, _, _ := db.instance(wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, call grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		if strings.HasSuffix(method, "/Commit") {
			return status.Error(codes.PermissionDenied, "it may read only")
		}
		return call(ctx, method, req, reply, cc, opts...)
	}})
	if _, err := f.Page(t.Context(), "ada", 1, ""); !errors.Is(err, feed.ErrNoKeys) {
		t.Errorf("%v, want ErrNoKeys", err)
	}
	if p, err := f.Page(t.Context(), "ada", 10, ""); err != nil || ids(p) != "p02 p01 p00" {
		t.Errorf("a page that is the last has %q: %v", ids(p), err)
	}
	_, keys, _ := db.instance()
	if err := keys.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p := first(t, f, first(t, f, "").Cursor); ids(p) != "p01" {
		t.Errorf("when they are there, the second page has %q", ids(p))
	}
}

func TestKeysOfCursorsThatAreDamaged(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(2)
	for name, fields := range map[string]map[string]any{
		"none":       {},
		"empty":      {"keys": []any{}},
		"a short":    {"keys": []any{[]byte("short")}},
		"a text":     {"keys": []any{strings.Repeat("k", 32)}},
		"no array":   {"keys": []byte(strings.Repeat("k", 32))},
		"one of two": {"keys": []any{[]byte(strings.Repeat("k", 32)), 7}},
	} {
		if _, err := db.Doc("_settings/cursors").Set(t.Context(), fields); err != nil {
			t.Fatal(err)
		}
		f, _, _ := db.instance()
		if _, err := f.Page(t.Context(), "ada", 1, ""); !errors.Is(err, feed.ErrBadKeys) {
			t.Errorf("%s: %v, want ErrBadKeys", name, err)
		}
	}
}

// A request that waits for another request's read of the keys ends with its own context.
func TestCursorKeyWaitEndsWithCallersContext(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.pages(3)
	held := testkit.NewGate(t, func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		return ok && strings.HasSuffix(get.GetDocuments()[0], "/_settings/cursors")
	})
	held.Armed.Store(false)
	f, keys, _ := db.instance(held.Interceptor())
	now := noon
	keys.SetNow(func() time.Time { return now })
	first(t, f, "")
	if _, err := db.Doc("_settings/cursors").Set(t.Context(), map[string]any{"keys": []any{[]byte(strings.Repeat("n", 32))}}); err != nil {
		t.Fatal(err)
	}
	other, _, _ := db.instance()
	newer := first(t, other, "").Cursor
	now = now.Add(time.Minute)
	held.Armed.Store(true)
	ended := make(chan error, 1)
	go func() { _, err := f.Page(t.Context(), "ada", 1, newer); ended <- err }()
	held.Await()
	gone := errors.New("gone")
	ctx, leave := context.WithCancelCause(t.Context())
	leave(gone)
	left := make(chan error, 1)
	go func() { _, err := f.Page(ctx, "ada", 1, newer); left <- err }()
	select {
	case err := <-left:
		if !errors.Is(err, gone) {
			t.Errorf("who leaves gets %v", err)
		}
	case <-time.After(4 * time.Second): // the read ends after five
		t.Error("who has left waits for another's read")
	}
	held.Open()
	if err := <-ended; err != nil {
		t.Errorf("who stays gets %v", err)
	}
}
