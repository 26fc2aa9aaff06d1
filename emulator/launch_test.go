package emulator

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// place puts a file of a test in a directory; text "" makes an empty one. Every file may be executed.
func place(t *testing.T, text string, path ...string) string {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// Eventually waits until a condition holds, at most a minute.
func Eventually(tb testing.TB, what string, holds func() bool) {
	tb.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	late := time.After(time.Minute)
	for !holds() {
		select {
		case <-poll.C:
		case <-late:
			tb.Fatalf("it never came that %s", what)
		}
	}
}

func TestFreshLog(t *testing.T) {
	used := place(t, "of another day\n", t.TempDir(), "log")
	f, err := freshLog(used)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := os.ReadFile(used); err != nil || len(text) != 0 {
		t.Errorf("it has %q, %v", text, err)
	}
	if _, err := freshLog(filepath.Join(t.TempDir(), "missing", "log")); err == nil {
		t.Error("a directory that is missing was taken")
	}
}

func TestStartReportsMissingEmulator(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.jar")
	t.Setenv("FIRESTORE_EMULATOR_BINARY_PATH", missing)
	_, err := Start(t.Context(), Options{LogFile: filepath.Join(t.TempDir(), "log"), Logger: quiet})
	if !errors.Is(err, ErrNotInstalled) || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), "gcloud components install") {
		t.Errorf("got %v, want ErrNotInstalled, the place and how to get it", err)
	}
}
