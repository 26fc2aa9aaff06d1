package functions

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"

	"example.com/relationindex/functions/triggers"
)

// A process with other keys, or without configuration, logs no run line for an event: the alert
// counts the response codes of Cloud Run.
func TestAlertCountsUnconfiguredFunctions(t *testing.T) {
	t.Parallel()
	alert, err := os.ReadFile("../monitoring/alerts/runs-failing.json")
	if err != nil {
		t.Fatal(err)
	}
	_, codes, _ := strings.Cut(string(alert), `metric.labels.response_code=one_of(`)
	codes, _, _ = strings.Cut(codes, ")")
	for _, name := range triggers.Names() {
		w := httptest.NewRecorder()
		unconfigured(name, w)
		if counts := strings.Contains(codes, `\"`+strconv.Itoa(w.Code)+`\"`); w.Code < 500 || counts == (name == triggers.Feed) {
			t.Errorf("%s answers %d; the alert counts %s", name, w.Code, codes)
		}
	}
}

// A HEAD reads a page like a GET. A request without a token reads none.
func TestRequestsThatNeedReadyDatabase(t *testing.T) {
	t.Parallel()
	for method, want := range map[string][2]bool{
		http.MethodGet: {true, false}, http.MethodHead: {true, false}, http.MethodPost: {false, true}, http.MethodOptions: {},
	} {
		r := httptest.NewRequest(method, "/", nil)
		if needsDatabase(triggers.Feed, r) {
			t.Errorf("%s without a token needs a database", method)
		}
		r.Header.Set("Authorization", "Bearer x")
		if got := [2]bool{needsDatabase(triggers.Feed, r), needsDatabase("OnPostWritten", r)}; got != want {
			t.Errorf("%s: %v, want %v", method, got, want)
		}
	}
}
