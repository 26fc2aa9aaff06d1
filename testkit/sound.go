package testkit

import (
	"sync"
	"testing"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/stories"
)

// sound has the documents of SoundApp, which are made once.
var sound struct {
	sync.Once
	documents map[string]map[string]any
}

// SoundApp has an author with the post p1 and three followers: r1 and r2 in the first index document,
// r3 in the second. Events are no longer handled.
func SoundApp(t *testing.T) *App {
	t.Helper()
	cfg := schema.Config{NoOwnPosts: true, Capacity: 2, CopiedFields: []string{"text"}}
	sound.Do(func() {
		a := NewApp(t, cfg)
		for _, r := range []string{"r1", "r2", "r3"} {
			a.Follow(r, "author")
			a.Settle()
		}
		a.Post("p1", "author", stories.Day)
		a.Settle()
		a.WantVerified()
		sound.documents = Documents(t, a.Client, nil)
	})
	return CopyOf(t, cfg, sound.documents)
}

// ViolationsOf returns the violations that verify finds for one author.
func (a *App) ViolationsOf(author string) []verify.Violation {
	a.T.Helper()
	var found []verify.Violation
	report := func(v verify.Violation) { found = append(found, v) }
	if _, err := verify.New(a.Instance()).Author(a.T.Context(), author, report, nil); err != nil {
		a.T.Fatal(err)
	}
	return found
}
