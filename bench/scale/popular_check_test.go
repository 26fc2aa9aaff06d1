package scale

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// post writes the author's posts, evenly spread over the follows.
func (p *popular) post(tb testing.TB) func(written int) {
	posted := 0
	return func(written int) {
		for ; posted < p.posts && written*(p.posts+1) >= (posted+1)*p.follows; posted++ {
			_, err := p.system.Client().Doc(fmt.Sprintf("posts/post%02d", posted)).Set(tb.Context(), map[string]any{
				"userId": star, "createdAt": time.Date(2026, 1, 1, 0, posted, 0, 0, time.UTC), "text": "hello",
			})
			if err != nil {
				tb.Fatal(err)
			}
		}
	}
}

// check compares what there is with what has been written, and wants no event
// to have failed or starved.
func (p *popular) check(tb testing.TB) {
	tb.Helper()
	cfg := p.system.Config()
	index, err := social.Open(p.system.Client(), cfg)
	if err != nil {
		tb.Fatal(err)
	}
	got, err := verify.New(index).All(tb.Context(), func(v verify.Violation) { tb.Error(v) }, nil)
	if err != nil {
		tb.Fatal(err)
	}
	indexes := (p.follows + schema.DefaultCapacity - 1) / schema.DefaultCapacity
	want := verify.Verified{
		Followers: int64(p.follows), Edges: int64(p.follows), IndexDocuments: int64(indexes),
		Posts: int64(p.posts), Relations: int64(p.posts * indexes),
	}
	if got != want {
		tb.Errorf("verified %+v, want %+v", got, want)
	}
	for severity, messages := range complaints(tb, p.system.Dir()) {
		tb.Errorf("%d log lines of severity %s, the first: %s", len(messages), severity, messages[0])
	}
	if p.redelivered > 0 {
		tb.Errorf("%d deliveries failed and were made again", p.redelivered)
	}
	if limit := int64(3 * 400 * p.workers); p.waits.Overtaken > limit {
		tb.Errorf("an event was overtaken by %d later ones, want at most %d", p.waits.Overtaken, limit)
	}
}

// complaints are the lines of a system's logs that are warnings or worse, by severity.
func complaints(tb testing.TB, dir string) map[string][]string {
	tb.Helper()
	found := map[string][]string{}
	for _, name := range []string{"functions.log", "deliveries.log"} {
		f, err := os.Open(filepath.Join(dir, name))
		if err != nil {
			tb.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var line struct{ Severity string }
			// A line that is not JSON is of the framework's list of functions.
			if json.Unmarshal(lines.Bytes(), &line) == nil && line.Severity != "" && line.Severity != "INFO" && line.Severity != "DEBUG" {
				found[line.Severity] = append(found[line.Severity], lines.Text())
			}
		}
		if err := lines.Err(); err != nil {
			tb.Fatal(err)
		}
	}
	return found
}
