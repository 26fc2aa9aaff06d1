package dev

import (
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/testkit/program"
)

// An app's own functions do what ours do, and what the app adds: in the project of dev, and in others.
func TestDevServesAnAppsFunctions(t *testing.T) {
	dev, err := program.StartDev(t.TempDir(), nil, "--functions", "../../../../../examples/embed/cmd/functions")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.End(syscall.SIGTERM) })
	for _, project := range []string{command.DemoProject, "demo-other"} {
		db := openProject(t, dev, project)
		follow(t, db, "bob", "ann")
		until(t, db.Collection("users/bob/following").Query) // who follows later gets the next post
		if _, err := db.Doc("posts/p1").Create(t.Context(), map[string]any{
			"userId": "ann", "audience": "ann", "hidden": false, "createdAt": firestore.ServerTimestamp,
		}); err != nil {
			t.Fatal(err)
		}
		until(t, db.Collection("unread").Where("reader", "==", "bob"))
	}
}

// until waits until a query finds a document.
func until(t *testing.T, q firestore.Query) {
	t.Helper()
	for {
		docs, err := q.Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) > 0 {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
}

func TestDevRejectsFunctionsThatDoNotBuild(t *testing.T) {
	if _, err := program.StartDev(t.TempDir(), nil, "--functions", t.TempDir()); err == nil {
		t.Error("it starts")
	}
}
