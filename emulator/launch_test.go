package emulator

import (
	"os"
	"path/filepath"
	"testing"
)

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
