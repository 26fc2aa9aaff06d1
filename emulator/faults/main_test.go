package faults_test

import (
	"path"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func host(t *testing.T) string { return testkit.Machine(t).Emulator.FirestoreHost() }

func open(t *testing.T, interceptors ...wire.Interceptor) *firestore.Client {
	t.Helper()
	return testkit.OpenAt(t, host(t), interceptors...)
}

func projectOf(c *firestore.Client) string {
	database := strings.TrimSuffix(c.Doc("a/b").Path, "/documents/a/b") // projects/P/databases/(default)
	return path.Base(path.Dir(path.Dir(database)))
}
