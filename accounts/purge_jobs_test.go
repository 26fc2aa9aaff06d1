//go:build long

package accounts_test

import (
	"testing"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// kakao:7 is another account than kakao, although its jobs' ids begin alike.
func TestPurgeKeepsJobsOfSimilarAccountIDs(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{NoOwnPosts: true, Chunk: 1})
	a.Profile("kakao", map[string]any{"displayName": "Kakao"})
	a.Settle()
	a.Silence() // the jobs below are not run
	engine := chunker.New(a.Client, chunker.Options{})
	for id, kept := range map[string]bool{
		"index:kakao:00001": false, "index:kakao:00002": false, "profile:kakao": false,
		"index:kakao:7:00001": true, "index:kakao:7:00002": true, "index:kakaoo:00001": true, "profile:kakao:7": true,
	} {
		a.OK(engine.Enqueue(t.Context(), chunker.Spec{ID: id, Kind: "relations.index"}))
		if _, err := engine.Cancel(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if _, err := engine.Get(t.Context(), id); (err == nil) != kept {
				t.Errorf("after the purge of kakao, job %s is there: %t", id, err == nil)
			}
		}()
	}
	a.DeleteAccount("kakao")
	a.OK(a.Worker(0).Purge(a, "kakao"))
}
