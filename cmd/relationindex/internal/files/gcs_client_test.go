package files_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/files/gcs"
	"example.com/relationindex/testkit/storagetest"
)

// The real client reads from a server that breaks each connection after 30 bytes. Cloud Storage
// would decompress an object with Content-Encoding gzip in transit.
func TestClientResumesBrokenReads(t *testing.T) {
	server := storagetest.Start(30)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", server.Host)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	store, err := gcs.Open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for _, encoding := range []string{"", "gzip"} {
		before := len(server.Reads())
		server.Put("bucket", "a b/graph"+encoding, encoding, []byte(content))
		objects, err := store.Find(ctx, "gs://bucket/a b/graph"+encoding)
		if err != nil {
			t.Fatal(err)
		}
		in := store.Reader(ctx, objects[0])
		if got, err := io.ReadAll(in); err != nil || string(got) != content || in.Close() != nil {
			t.Errorf("%q: %q, %v", encoding, got, err)
		}
		reads := server.Reads()[before:]
		if diff := cmp.Diff([]string{"0", "30", "60", "90"}, reads[:min(len(reads), 8)]); diff != "" {
			t.Errorf("%q: connections began (-want +got):\n%s", encoding, diff)
		}
	}
}

// An object that is overwritten between two connections ends the reading.
func TestClientStopsWhenObjectIsOverwritten(t *testing.T) {
	server := storagetest.Start(30)
	t.Cleanup(server.Close)
	t.Setenv("STORAGE_EMULATOR_HOST", server.Host)
	server.Put("bucket", "graph.txt", "", []byte(content))
	store, err := gcs.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	objects, err := store.Find(t.Context(), "gs://bucket/graph.txt")
	if err != nil {
		t.Fatal(err)
	}
	in := store.Reader(t.Context(), objects[0])
	defer in.Close()
	if _, err := io.ReadFull(in, make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	server.Put("bucket", "graph.txt", "", []byte(content))
	if _, err := io.ReadAll(in); !errors.Is(err, gcs.ErrChanged) {
		t.Errorf("%v, want ErrChanged", err)
	}
}
