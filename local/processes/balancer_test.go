package processes

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/siteguard"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/schema"
)

// post is the status and the answer to a post.
func post(t *testing.T, to string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader("body"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(resp.StatusCode, " ", strings.TrimSpace(string(body)))
}

func TestBalancerRotatesWorkers(t *testing.T) {
	var logged bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	w := newWorkers(nil, schema.Config{NoOwnPosts: true}, "", 3)
	b, err := startBalancer(siteguard.Guard{}, nil, w.pick)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	if got := post(t, b.url+"/f"); !strings.HasPrefix(got, "502 ") {
		t.Errorf("without a worker: %s, want 502", got)
	}
	for _, i := range []int{0, 2} { // the one between is not up
		server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.URL.Path == "/die" {
				panic(http.ErrAbortHandler)
			}
			rw.WriteHeader(201)
			fmt.Fprintf(rw, "%s %s at %d", body, r.URL.Path, i)
		}))
		defer server.Close()
		to, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		w.places[i].url = to
	}
	var got []string
	for range 4 {
		got = append(got, post(t, b.url+"/f"))
	}
	if diff := cmp.Diff([]string{"201 body /f at 0", "201 body /f at 2"}, slices.Compact(slices.Sorted(slices.Values(got)))); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
	if got[0] == got[1] || got[1] == got[2] {
		t.Errorf("they were asked %q, want in turn", got)
	}
	if got := post(t, b.url+"/die"); !strings.HasPrefix(got, "502 ") {
		t.Errorf("of a worker that died: %s, want 502", got)
	}
	if logged.Len() > 0 {
		t.Errorf("it logged %q", logged.String())
	}
}

func TestSweeperCallsSweepAndLogsFailures(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		logs   bool
	}{
		"a sweep":            {200, false},
		"a sweep that fails": {500, true},
	} {
		t.Run(name, func(t *testing.T) {
			calls := make(chan string)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				w.WriteHeader(test.status)
				select {
				case calls <- fmt.Sprintf("%s %s %q", r.Method, r.URL.Path, body):
				case <-r.Context().Done():
				}
			}))
			defer server.Close()
			var logged bytes.Buffer
			s := startSweeper(t.Context(), server.URL+"/Sweep", time.Millisecond, logging.New(&logged, slog.LevelInfo))
			for range 3 {
				if call := <-calls; call != `POST /Sweep ""` {
					t.Errorf("it asked for %s", call)
				}
			}
			if err := s.close(); err != nil { // with a call under way, which nobody takes
				t.Error(err)
			}
			if got := logged.Len() > 0; got != test.logs {
				t.Errorf("it logged %q, want something: %v", logged.String(), test.logs)
			}
		})
	}
}
