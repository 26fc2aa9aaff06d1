package functions_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 123_456_000, time.UTC)

// seeded is a server with p1 … pn of ada, whom bob follows, and the triggers'
// work done.
func seeded(t *testing.T, posts int, cfg config.Functions) *feedServer {
	t.Helper()
	s := newFeedServer(t, cfg)
	s.Follow("bob", "ada")
	for i := range posts {
		s.Post(fmt.Sprintf("p%d", i+1), "ada", noon.Add(time.Duration(i)*time.Second))
	}
	s.Settle()
	if err := s.Handlers().Ready(t.Context(), triggers.Sweep); err != nil { // it makes the keys of cursors
		t.Fatal(err)
	}
	return s
}

func TestFeedIsWhatTheReaderFollows(t *testing.T) {
	t.Parallel()
	s := seeded(t, 3, config.Functions{})
	s.Post("other", "eve", noon) // whom nobody follows
	s.Settle()
	page := s.get("bob", "")
	if page.StatusCode != http.StatusOK || page.ids() != "p3 p2 p1" || page.page.Cursor != nil {
		t.Fatalf("got %d %s", page.StatusCode, page.body)
	}
	want := `{"id":"p3","userId":"ada","createdAt":"2026-11-20T12:00:02.123456Z","data":{"text":"text of p3"}}`
	if !bytes.Contains(page.body, []byte(want)) {
		t.Errorf("got %s\nwant in it %s", page.body, want)
	}
	if got := s.get("ada", ""); got.ids() != "" || string(bytes.TrimSpace(got.body)) != `{"posts":[]}` {
		t.Errorf("one who follows nobody gets %s", got.body)
	}
	first := s.get("bob", "?limit=2")
	if first.ids() != "p3 p2" || first.page.Cursor == nil {
		t.Fatalf("first page: %s", first.body)
	}
	if second := s.get("bob", "?limit=2&cursor="+*first.page.Cursor+"&utm_source=x"); second.ids() != "p1" || second.page.Cursor != nil {
		t.Errorf("second page: %s", second.body)
	}
	s.Unfollow("bob", "ada")
	s.Settle()
	if got := s.get("bob", ""); got.ids() != "" {
		t.Errorf("after the unfollow: %s", got.body)
	}
}

func TestAPageThatTheClientHasIsNotSentAgain(t *testing.T) {
	t.Parallel()
	s := seeded(t, 1, config.Functions{})
	token := "Bearer " + s.token("bob")
	first := s.get("bob", "")
	tag := first.Header.Get("ETag")
	for _, have := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
		got := s.call(http.MethodGet, "", "Authorization", token, "If-None-Match", have)
		if got.StatusCode != http.StatusNotModified || len(got.body) > 0 || got.Header.Get("ETag") != tag || got.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("If-None-Match: %s: got %d %v", have, got.StatusCode, got.Header)
		}
	}
	for _, have := range []string{"", `W/"other"`, tag[:len(tag)-1]} {
		if got := s.call(http.MethodGet, "", "Authorization", token, "If-None-Match", have); got.StatusCode != http.StatusOK {
			t.Errorf("If-None-Match: %s: got %d", have, got.StatusCode)
		}
	}
	head := s.call(http.MethodHead, "", "Authorization", token)
	if head.StatusCode != http.StatusOK || len(head.body) > 0 || head.Header.Get("ETag") != tag || head.ContentLength != int64(len(first.body)) {
		t.Errorf("HEAD: got %d %v", head.StatusCode, head.Header)
	}
	if vary := strings.Join(first.Header.Values("Vary"), ", "); !strings.Contains(vary, "Authorization") || !strings.Contains(vary, "Accept-Encoding") {
		t.Errorf("Vary: %s", vary)
	}
	s.Post("p2", "ada", noon.Add(time.Minute))
	s.Settle()
	if got := s.call(http.MethodGet, "", "Authorization", token, "If-None-Match", tag); got.StatusCode != http.StatusOK || got.ids() != "p2 p1" {
		t.Errorf("after another post: %d %s", got.StatusCode, got.body)
	}
}

func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	s := seeded(t, 15, config.Functions{})
	token := "Bearer " + s.token("bob")
	plain := s.get("bob", "")
	packed := s.call(http.MethodGet, "", "Authorization", token, "Accept-Encoding", "gzip, br")
	if packed.Header.Get("Content-Encoding") != "gzip" || len(packed.body)*2 > len(plain.body) {
		t.Errorf("%d bytes, packed %d: %v", len(plain.body), len(packed.body), packed.Header)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed.body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, plain.body) {
		t.Errorf("unpacked: %s, %v; want %s", got, err, plain.body)
	}
	tag := packed.Header.Get("ETag")
	if tag != plain.Header.Get("ETag") {
		t.Errorf("ETag %s packed, %s plain", tag, plain.Header.Get("ETag"))
	}
	again := s.call(http.MethodGet, "", "Authorization", token, "Accept-Encoding", "gzip", "If-None-Match", tag)
	if again.StatusCode != http.StatusNotModified || len(again.body) > 0 || again.Header.Get("Content-Encoding") != "" || again.Header.Get("ETag") != tag {
		t.Errorf("packed, and had: %d %v", again.StatusCode, again.Header)
	}
}

// Reads of the function, as they are billed: a page of n posts is 2n, and the horizon one a minute.
func TestFeedCostsTwoReadsAPost(t *testing.T) {
	t.Parallel()
	s := seeded(t, 5, config.Functions{})
	before := s.Meter.Counts()
	s.get("bob", "?limit=1")
	if c := s.Meter.Counts().Minus(before); c.Reads != 2+1 || c.Requests != 2+1 {
		t.Errorf("the first page: %v; want 3 reads in 3 requests", c)
	}
	for limit, want := range map[int]int64{1: 2, 3: 6, 5: 10, 50: 10} {
		before := s.Meter.Counts()
		s.get("bob", fmt.Sprintf("?limit=%d", limit))
		if c := s.Meter.Counts().Minus(before); c.Reads != want || c.Requests != 2 || c.Writes+c.Deletes != 0 {
			t.Errorf("limit %d: %v; want %d reads in 2 requests", limit, c, want)
		}
	}
}

// A request is one line of the log, which says nothing of whose it was.
func TestFeedLogsALineForARequestAndNoSecrets(t *testing.T) {
	t.Parallel()
	s := seeded(t, 2, config.Functions{})
	token := s.token("bob")
	before := len(s.log.String())
	s.call(http.MethodGet, "?limit=1", "Authorization", "Bearer "+token)
	s.call(http.MethodGet, "", "Authorization", "Bearer "+token+"x")
	lines := strings.Split(strings.TrimSpace(s.log.String()[before:]), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines: %q", len(lines), lines)
	}
	for i, want := range []map[string]any{
		{"message": "run", "severity": "INFO", "function": "Feed", "outcome": "done", "reads": 3.0, "status": 200.0, "posts": 1.0, "rounds": 1.0},
		{"message": "run", "severity": "INFO", "function": "Feed", "outcome": "refused", "reads": 0.0, "status": 401.0, "posts": 0.0, "rounds": 0.0},
	} {
		var got map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &got); err != nil {
			t.Fatal(err)
		}
		if got["durationMs"] == nil {
			t.Errorf("no duration in %s", lines[i])
		}
		for key, value := range want {
			if got[key] != value {
				t.Errorf("%s is %v, want %v", key, got[key], value)
			}
		}
		for _, secret := range []string{"bob", token[len(token)-20:], "text of", "p2"} {
			if strings.Contains(lines[i], secret) {
				t.Errorf("%q is in %s", secret, lines[i])
			}
		}
	}
}
