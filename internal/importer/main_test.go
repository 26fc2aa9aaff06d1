package importer_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
	"example.com/relationindex/internal/edgelist"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

var shared *emulator.Emulator

func TestMain(m *testing.M) {
	flag.Parse()
	e, err := emulator.Start(context.Background(), emulator.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "these tests need the Firestore emulator:", err)
		os.Exit(1)
	}
	shared = e
	code := m.Run()
	if err := e.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	_ = os.Remove(e.LogFile())
	os.Exit(code)
}

// open is a client of a project of the test's own.
func open(t *testing.T, interceptors ...wire.Interceptor) *firestore.Client {
	t.Helper()
	c, err := wire.Open(t.Context(), "demo-"+strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), shared.FirestoreHost(), interceptors...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func followsOf(t *testing.T, text string) func(yield func(importer.Document, error) bool) {
	t.Helper()
	return importer.Follows("graph.txt", strings.NewReader(text), columns(t, importer.FollowColumns, "follower=1,followed=2"), relations.Collections{})
}

func columns(t *testing.T, parse func(string) (edgelist.Columns, error), spec string) edgelist.Columns {
	t.Helper()
	c, err := parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
