//go:build long

package rehearsal_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relationindex/test/rehearsal"
)

// An app's own module, examples/embed with what it vendors, is built as the buildpack builds it, and serves its functions.
func TestEmbeddingModuleBuildsAndServes(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", "embed"))); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	run("mod", "edit", "-replace=example.com/relationindex="+checkout)
	run("mod", "vendor")

	build := t.TempDir()
	built, err := rehearsal.Build(t.Context(), rehearsal.Options{Root: dir, Dir: build})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(built)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	child, url, err := rehearsal.Serve(t.Context(), built.Program, "OnPostWritten", []string{"GOOGLE_CLOUD_PROJECT=demo", "FIRESTORE_EMULATOR_HOST=127.0.0.1:1"}, t.TempDir(), log)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Stop(0)
	resp, err := http.Get(url) //nolint:gosec // a process of this test
	if err != nil {
		t.Fatal(err)
	}
	if _ = resp.Body.Close(); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("OnPostWritten answers %s, want %d", resp.Status, http.StatusMethodNotAllowed)
	}

	if err := os.RemoveAll(filepath.Join(dir, "vendor", "github.com", "GoogleCloudPlatform", "functions-framework-go", "funcframework")); err != nil {
		t.Fatal(err)
	}
	if _, err := rehearsal.Build(t.Context(), rehearsal.Options{Root: dir, Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "funcframework") {
		t.Errorf("without the package that the generated main imports: %v", err)
	}
}
