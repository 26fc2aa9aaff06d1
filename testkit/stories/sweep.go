package stories

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

// The event of a job is lost for good: the job was written before the triggers existed. Sweep, called
// by Cloud Scheduler, runs the job.
func sweepRunsAJobWhoseEventWasLost(t *testing.T, m Machine) {
	a := Open(t, m)
	a.Must(a.Client.Doc("_functions/post:p1").Set(t.Context(), map[string]any{
		"kind": "relations.post", "args": map[string]any{"post": "p1"},
		"state": "queued", "hop": 1, "wakeAt": time.Now().Add(-time.Minute),
	}))
	a.Start(schema.Config{NoOwnPosts: true})
	if got, _ := a.Call(http.MethodGet, "Sweep"); got != http.StatusMethodNotAllowed {
		t.Errorf("GET is answered %d, want 405", got)
	}
	for _, want := range []string{`{"due":1,"woken":1,"failed":0,"newer":0}`, `{"due":0,"woken":0,"failed":0,"newer":0}`} {
		if status, body := a.Call(http.MethodPost, "Sweep"); status != http.StatusOK || strings.TrimSpace(body) != want {
			t.Errorf("Sweep answers %d %s, want %s", status, body, want)
		}
	}
	a.Settle()
	job, err := chunker.New(a.Client, chunker.Options{}).Get(t.Context(), "post:p1")
	if err != nil || job.State != chunker.Done || job.Hop != 2 {
		t.Errorf("job is %s at hop %d (%v), want done at 2", job.State, job.Hop, err)
	}
}

// Call sends a request to a function. headers alternates names and values.
func (a *App) Call(method, function string, headers ...string) (status int, body string) {
	a.T.Helper()
	req, err := http.NewRequestWithContext(a.T.Context(), method, a.URL(function), nil)
	if err != nil {
		a.T.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.T.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		a.T.Fatal(err)
	}
	return resp.StatusCode, string(text)
}
