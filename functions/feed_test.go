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

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/feedtest"
)

func TestFeedHasPostsOfFollowedAuthors(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 3, schema.Config{NoOwnPosts: true})
	s.Post("other", "eve", feedtest.Noon) // whom nobody follows
	s.Settle()
	page := s.Get("bob", "")
	if page.StatusCode != http.StatusOK || page.IDs() != "p3 p2 p1" || page.Page.Cursor != nil {
		t.Fatalf("got %d %s", page.StatusCode, page.Body)
	}
	want := `{"id":"p3","userId":"ada","createdAt":"2026-11-20T12:00:02.123456Z","data":{"text":"text of p3"}}`
	if !bytes.Contains(page.Body, []byte(want)) {
		t.Errorf("got %s\nwant in it %s", page.Body, want)
	}
	if got := s.Get("ada", ""); got.IDs() != "" || string(bytes.TrimSpace(got.Body)) != `{"posts":[]}` {
		t.Errorf("one who follows nobody gets %s", got.Body)
	}
	first := s.Get("bob", "?limit=2")
	if first.IDs() != "p3 p2" || first.Page.Cursor == nil {
		t.Fatalf("first page: %s", first.Body)
	}
	if second := s.Get("bob", "?limit=2&cursor="+*first.Page.Cursor+"&utm_source=x"); second.IDs() != "p1" || second.Page.Cursor != nil {
		t.Errorf("second page: %s", second.Body)
	}
	s.Unfollow("bob", "ada")
	s.Settle()
	if got := s.Get("bob", ""); got.IDs() != "" {
		t.Errorf("after the unfollow: %s", got.Body)
	}
}

func TestFeedAnswersNotModifiedForKnownPage(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 1, schema.Config{NoOwnPosts: true})
	token := "Bearer " + s.Token("bob")
	first := s.Get("bob", "")
	tag := first.Header.Get("ETag")
	for _, have := range []string{tag, strings.TrimPrefix(tag, "W/"), `"other", ` + tag, "*"} {
		got := s.Call(http.MethodGet, "", "Authorization", token, "If-None-Match", have)
		if got.StatusCode != http.StatusNotModified || len(got.Body) > 0 || got.Header.Get("ETag") != tag || got.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("If-None-Match: %s: got %d %v", have, got.StatusCode, got.Header)
		}
	}
	for _, have := range []string{"", `W/"other"`, tag[:len(tag)-1]} {
		if got := s.Call(http.MethodGet, "", "Authorization", token, "If-None-Match", have); got.StatusCode != http.StatusOK {
			t.Errorf("If-None-Match: %s: got %d", have, got.StatusCode)
		}
	}
	head := s.Call(http.MethodHead, "", "Authorization", token)
	if head.StatusCode != http.StatusOK || len(head.Body) > 0 || head.Header.Get("ETag") != tag || head.ContentLength != int64(len(first.Body)) {
		t.Errorf("HEAD: got %d %v", head.StatusCode, head.Header)
	}
	if vary := strings.Join(first.Header.Values("Vary"), ", "); !strings.Contains(vary, "Authorization") || !strings.Contains(vary, "Accept-Encoding") {
		t.Errorf("Vary: %s", vary)
	}
	s.Post("p2", "ada", feedtest.Noon.Add(time.Minute))
	s.Settle()
	if got := s.Call(http.MethodGet, "", "Authorization", token, "If-None-Match", tag); got.StatusCode != http.StatusOK || got.IDs() != "p2 p1" {
		t.Errorf("after another post: %d %s", got.StatusCode, got.Body)
	}
}

func TestPagesAreCompressed(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 15, schema.Config{NoOwnPosts: true})
	token := "Bearer " + s.Token("bob")
	plain := s.Get("bob", "")
	packed := s.Call(http.MethodGet, "", "Authorization", token, "Accept-Encoding", "gzip, br")
	if packed.Header.Get("Content-Encoding") != "gzip" || len(packed.Body)*2 > len(plain.Body) {
		t.Errorf("%d bytes, packed %d: %v", len(plain.Body), len(packed.Body), packed.Header)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed.Body))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, plain.Body) {
		t.Errorf("unpacked: %s, %v; want %s", got, err, plain.Body)
	}
	tag := packed.Header.Get("ETag")
	if tag != plain.Header.Get("ETag") {
		t.Errorf("ETag %s packed, %s plain", tag, plain.Header.Get("ETag"))
	}
	again := s.Call(http.MethodGet, "", "Authorization", token, "Accept-Encoding", "gzip", "If-None-Match", tag)
	if again.StatusCode != http.StatusNotModified || len(again.Body) > 0 || again.Header.Get("Content-Encoding") != "" || again.Header.Get("ETag") != tag {
		t.Errorf("packed, and had: %d %v", again.StatusCode, again.Header)
	}
}

// A client sends the createdAt of the newest post that it shows, as it came. While that is the newest, each question costs a read.
func TestFeedReportsNews(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 2, schema.Config{NoOwnPosts: true})
	var page struct{ Posts []struct{ CreatedAt string } }
	if err := json.Unmarshal(s.Get("bob", "").Body, &page); err != nil {
		t.Fatal(err)
	}
	query := "?limit=50&news=" + page.Posts[0].CreatedAt
	before := s.Meter.Counts()
	first := s.Get("bob", query)
	if string(first.Body) != `{"news":false}`+"\n" || first.Header.Get("Cache-Control") != "private, no-cache" || first.Header.Get("Vary") == "" {
		t.Errorf("got %d %v %s", first.StatusCode, first.Header, first.Body)
	}
	token := "Bearer " + s.Token("bob")
	if got := s.Call(http.MethodGet, query, "Authorization", token, "If-None-Match", first.Header.Get("ETag")); got.StatusCode != http.StatusNotModified {
		t.Errorf("the same answer again: %d %s", got.StatusCode, got.Body)
	}
	for range 38 {
		s.Get("bob", query)
	}
	if c := s.Meter.Counts().Minus(before); c.Reads != 40 || c.Requests != 40 {
		t.Errorf("40 questions: %v", c)
	}
	if line := s.Log.String(); !strings.Contains(line[strings.LastIndex(strings.TrimSpace(line), "\n")+1:], `"reads":1,"writes":0,"deletes":0,"status":200,"posts":0,"rounds":1,"source":"relations"`) {
		t.Errorf("logged: %s", line)
	}
	s.Post("p3", "ada", feedtest.Noon.Add(time.Minute))
	s.Settle()
	if got := s.Get("bob", query); string(got.Body) != `{"news":true}`+"\n" {
		t.Errorf("after another post: %d %s", got.StatusCode, got.Body)
	}
	if got := s.Call(http.MethodGet, query, "Authorization", token+"x"); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("with a bad token: %d", got.StatusCode)
	}
}

// Reads of the function, as they are billed: a page of n posts is 2n, and the horizon one a minute.
func TestFeedCostsTwoReadsAPost(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 5, schema.Config{NoOwnPosts: true})
	before := s.Meter.Counts()
	s.Get("bob", "?limit=1")
	if c := s.Meter.Counts().Minus(before); c.Reads != 2+1 || c.Requests != 2+1 {
		t.Errorf("the first page: %v; want 3 reads in 3 requests", c)
	}
	for limit, want := range map[int]int64{1: 2, 3: 6, 5: 10, 50: 10} {
		before := s.Meter.Counts()
		s.Get("bob", fmt.Sprintf("?limit=%d", limit))
		if c := s.Meter.Counts().Minus(before); c.Reads != want || c.Requests != 2 || c.Writes+c.Deletes != 0 {
			t.Errorf("limit %d: %v; want %d reads in 2 requests", limit, c, want)
		}
	}
}

// A request is one line of the log, which does not identify its account.
func TestFeedLogsALineForARequestAndNoSecrets(t *testing.T) {
	t.Parallel()
	s := feedtest.Seeded(t, 2, schema.Config{NoOwnPosts: true})
	token := s.Token("bob")
	before := len(s.Log.String())
	s.Call(http.MethodGet, "?limit=1", "Authorization", "Bearer "+token)
	s.Call(http.MethodGet, "", "Authorization", "Bearer "+token+"x")
	lines := strings.Split(strings.TrimSpace(s.Log.String()[before:]), "\n")
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
