package functions_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

// A deployed process with a wrong variable ends at its start, not at its first event. It prints one line for each, with the
// variable, its value and the rule. An emulator is wrong on Cloud Run: ID tokens of the Auth emulator are not signed.
func TestDeployedProcessRejectsInvalidVariables(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "deployed")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "example.com/relationindex/bench/scale/internal/deployed")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	const project = "GOOGLE_CLOUD_PROJECT=demo-a"
	for name, test := range map[string]struct{ env, want []string }{
		"Auth emulator on Cloud Run": {
			[]string{"K_SERVICE=feed", project, "FIREBASE_AUTH_EMULATOR_HOST=127.0.0.1:9099", "FIRESTORE_EMULATOR_HOST=127.0.0.1:8080"},
			[]string{`FIREBASE_AUTH_EMULATOR_HOST="127.0.0.1:9099": must not be set in a deployed function`, `FIRESTORE_EMULATOR_HOST="127.0.0.1:8080": must not be set`},
		},
		"no project": {[]string{"FUNCTION_TARGET=OnPostWritten"}, []string{"GOOGLE_CLOUD_PROJECT is not set"}},
		"three": {
			[]string{"FUNCTION_TARGET=OnPostWritten", project, "RELATIONINDEX_CAPACITY=10001", "RELATIONINDEX_IDLE=fast", "RELATIONINDEX_COPIED_FEILDS=text"},
			[]string{
				`"RELATIONINDEX_COPIED_FEILDS": no such variable (do you mean RELATIONINDEX_COPIED_FIELDS?): docs/configuration.md lists all`,
				`RELATIONINDEX_IDLE="fast": must be 0s to 87600h`, `RELATIONINDEX_CAPACITY=10001: must be 1 to 10,000 follower ids`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), program, "not-a-port") // one that got so far would say so
			cmd.Env = test.env
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			var exit *exec.ExitError
			if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 1 || stdout.Len() > 0 {
				t.Errorf("%v, and it prints %q; want exit code 1 and nothing", err, &stdout)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if len(lines) != len(test.want) {
				t.Fatalf("it logs %d lines, want %d: %s", len(lines), len(test.want), &stderr)
			}
			for i, line := range lines {
				var said struct{ Severity, Message, Error string }
				if err := json.Unmarshal([]byte(line), &said); err != nil || said.Severity != "ERROR" || said.Message != "the functions cannot start" {
					t.Errorf("it logs %s: %v", line, err)
				}
				if !strings.Contains(said.Error, test.want[i]) {
					t.Errorf("line %d is %q, want %q in it", i+1, said.Error, test.want[i])
				}
			}
		})
	}
}

// On Cloud Run one service has all functions, each at the path of its name.
func TestHandlersServeEachFunctionAtItsName(t *testing.T) {
	t.Parallel()
	a := testkit.NewApp(t, schema.Config{})
	server := httptest.NewServer(a.Handlers())
	t.Cleanup(server.Close)
	for path, want := range map[string]int{
		"/": http.StatusNotFound, "/OnNothing": http.StatusNotFound, "/OnPostWritten/x": http.StatusNotFound,
		"/OnPostWritten": http.StatusMethodNotAllowed, "/Feed": http.StatusNotFound,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
		a.OK(err)
		response, err := http.DefaultClient.Do(request)
		a.OK(err)
		if _ = response.Body.Close(); response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
	}
}
