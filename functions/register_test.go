package functions_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What is deployed ends at its start, and not with the first event, when it is told to use an emulator: ID tokens of the
// Auth emulator are not signed.
func TestADeployedProcessWithAnEmulatorDoesNotStart(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "deployed")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "example.com/relationindex/bench/scale/internal/deployed")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for variable, value := range map[string]string{"FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099", "FIRESTORE_EMULATOR_HOST": "127.0.0.1:8080"} {
		cmd := exec.CommandContext(t.Context(), program, "not-a-port") // one that got so far would say so
		cmd.Env = []string{"K_SERVICE=feed", variable + "=" + value}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() < 1 {
			t.Errorf("%s is set: %v, want an exit code other than 0", variable, err)
		}
		var said struct{ Severity, Message, Error string }
		if err := json.Unmarshal(stderr.Bytes(), &said); err != nil || said.Severity != "ERROR" || stdout.Len() > 0 {
			t.Errorf("%s is set: it says %q and %q, want one error: %v", variable, &stdout, &stderr, err)
		}
		for _, want := range []string{variable + `="` + value + `"`, "must not be set in a deployed function"} {
			if !strings.Contains(said.Error, want) {
				t.Errorf("it says %+v, want %q", said, want)
			}
		}
	}
}
