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
	"example.com/relationindex/internal/local"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/relations"
)

// machine has triggers and functions only for projects that ask for them.
var machine *local.Machine

func TestMain(m *testing.M) {
	flag.Parse()
	ctx, cancel := context.WithCancel(context.Background())
	var err error
	machine, err = local.Start(ctx, emulator.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "these tests need the Firestore emulator:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := machine.Emulator.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	cancel()
	_ = os.Remove(machine.Emulator.LogFile())
	os.Exit(code)
}

// open is a client of a project of the test's own.
func open(t *testing.T, interceptors ...wire.Interceptor) *firestore.Client {
	t.Helper()
	return openProject(t, "demo-"+strings.ToLower(strings.ReplaceAll(t.Name(), "/", "-")), interceptors...)
}

func openProject(t *testing.T, id string, interceptors ...wire.Interceptor) *firestore.Client {
	t.Helper()
	c, err := local.Open(t.Context(), id, machine.Emulator.FirestoreHost(), interceptors...)
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
