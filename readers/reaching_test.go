package readers_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// Posts that name a reader and do not come, of somebody who hides them or whom the reader blocks, cut off what others
// have sent only after so many in a row.
func TestWalkEndsAfterManyOmittedPosts(t *testing.T) {
	t.Parallel()
	x := testkit.Index(t, testkit.ProjectID(t), schema.Config{NoOwnPosts: true, Feeds: []string{"items"}})
	day := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	documents := map[string]map[string]any{"users/r1/blocked/mallory": {"createdAt": day}}
	write := func(minute int, author string, hidden bool) {
		documents[fmt.Sprintf("posts/%s%d", author, minute)] = map[string]any{
			"userId": author, "audience": "", "to": []string{"r1"}, "hidden": hidden, "createdAt": day.Add(time.Duration(minute) * time.Minute),
		}
	}
	write(0, "ann", false)
	for n := range 3 {
		write(2*n+1, "eve", true)
		write(2*n+2, "mallory", false)
	}
	write(7, "ann", false)
	testkit.Write(t, x.DB.Client, documents)
	for apart, want := range map[int]string{6: "ann7", 7: "ann7 ann0"} {
		got := ""
		found, err := readers.ReachingApart(t.Context(), x.DB, "r1", 7, 0, apart) // a page of 7
		for _, p := range found {
			got += " " + p.ID
		}
		if err != nil || got != " "+want {
			t.Errorf("at most %d in a row: found%s, %v; want %s", apart, got, err, want)
		}
	}
}
