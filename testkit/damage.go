package testkit

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/load"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// BeyondRepair has fields of an index document whose followers cannot be read. Mendable has fields of
// a damaged one whose followers can be read.
var (
	BeyondRepair = map[string]any{"followers": "x", "count": "two", "version": int64(4), "backfilled": true}
	Mendable     = map[string]any{"count": "two"}
)

// Damage overwrites fields of a document that functions write.
func (a *App) Damage(path string, fields map[string]any) {
	a.T.Helper()
	a.Must(a.Client.Doc(path).Set(a.T.Context(), fields, firestore.MergeAll))
}

// DamagedApp has an author with the posts p0 and p1 and the followers r00 to r11, two in each index
// document. Events are no longer handled.
func DamagedApp(t *testing.T, cfg schema.Config) *App {
	t.Helper()
	cfg.Capacity = 2
	return CopyOf(t, cfg, Twelve(t))
}

// Twelve returns the documents of DamagedApp.
func Twelve(t *testing.T) map[string]map[string]any {
	t.Helper()
	twelve.Do(func() {
		a := OpenApp(t, schema.Config{NoOwnPosts: true, Capacity: 2})
		a.Post("p0", "author", stories.Day)
		a.Post("p1", "author", stories.Day.Add(time.Hour))
		Adopt(a, 12)
		a.WantVerified()
		twelve.documents = Documents(t, a.Client, nil)
	})
	return twelve.documents
}

var twelve struct {
	sync.Once
	documents map[string]map[string]any
}

// Adopt indexes followers r00, r01, … of the author: n of them, without events.
func Adopt(a *App, n int) {
	a.T.Helper()
	follows := load.Follows{Author: "author"}
	for r := range n {
		follows.Followers = append(follows.Followers, fmt.Sprintf("r%02d", r))
	}
	if err := load.New(a.Instance()).Adopt(a.T.Context(), []load.Follows{follows}, load.Options{Since: stories.Day}); err != nil {
		a.T.Fatal(err)
	}
}

// WantTold checks that there is one damage job for each of these documents, and no other.
func (a *App) WantTold(paths ...string) {
	a.T.Helper()
	jobs, err := a.Instance().Engine.Named(a.T.Context(), "index:", 100)
	if err != nil {
		a.T.Fatal(err)
	}
	jobs = slices.DeleteFunc(jobs, func(job chunker.Job) bool { return job.Kind != schema.KindDamage })
	var told []string
	for _, job := range jobs {
		if job.State != chunker.Failed || job.Error == nil {
			a.T.Errorf("the job %s is %s, with the error %+v; want it failed", job.ID, job.State, job.Error)
			continue
		}
		told = append(told, job.Error.Message)
	}
	for _, path := range paths {
		told = slices.DeleteFunc(told, func(message string) bool { return strings.Contains(message, path) })
	}
	if len(told) > 0 || len(jobs) != len(paths) {
		a.T.Errorf("%d jobs tell of damage, want %q; of others: %q", len(jobs), paths, told)
	}
}

// RepairDamaged repairs the authors that damage jobs name.
func (a *App) RepairDamaged() {
	a.T.Helper()
	if _, err := repair.New(a.Instance()).RepairDamaged(a.T.Context(), nil, nil); err != nil {
		a.T.Error(err)
	}
}
