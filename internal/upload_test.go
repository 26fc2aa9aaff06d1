package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/upload"
)

const root = ".."

// maxBytes is what an upload may have; production's limit is 100 MB packed.
const maxBytes = 2 << 20

// The upload has exactly the linked files: the code and the embedded files of every
// package that the functions need, and the module's two files.
func TestUploadHasOnlyLinkedFiles(t *testing.T) {
	t.Parallel()
	got, err := upload.List(t.Context(), root)
	if err != nil {
		t.Fatal("this test needs the gcloud SDK: ", err)
	}
	if diff := cmp.Diff(linked(t), got); diff != "" {
		t.Errorf(".gcloudignore lets something else through than what is linked (-linked +uploaded):\n%s", diff)
	}
	bytes, err := upload.Copy(root, got, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]int{}
	for _, file := range got {
		folders[path.Dir(file)]++
	}
	t.Logf("%d files, %d bytes, by folder: %v", len(got), bytes, folders)
	if bytes > maxBytes {
		t.Errorf("%d bytes would be uploaded, want at most %d", bytes, maxBytes)
	}
}

// linked is the files of this module that a build of the package at the root reads.
func linked(t *testing.T) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Dir,Module,GoFiles,IgnoredGoFiles,EmbedFiles", ".")
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := []string{"go.mod", "go.sum"}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir    string
			Module *struct {
				Main bool
				Dir  string
			}
			GoFiles, IgnoredGoFiles, EmbedFiles []string
		}
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Module == nil || !p.Module.Main {
			continue
		}
		folder, err := filepath.Rel(p.Module.Dir, p.Dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredGoFiles, p.EmbedFiles) {
			if !strings.HasSuffix(file, "_test.go") {
				files = append(files, path.Join(filepath.ToSlash(folder), file))
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// A file that .gcloudignore does not list for upload stays local: secrets, builds, notes.
func TestUnlistedFilesAreNotUploaded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rules, err := os.ReadFile(filepath.Join(root, ".gcloudignore"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{".gcloudignore": string(rules), "function.go": "", "go.mod": "", "chunker/job.go": ""}
	for _, strange := range []string{
		".env", "key.json", "main", "web/dist/index.html", "internal/new/new.go", "internal/config_test.go",
		"chunker/job_test.go", "chunker/testdata/job.go", "cmd/relationindex/main.go", "emulator/broker.go", "monitoring/metrics/x.json",
	} {
		files[strange] = "x"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := upload.List(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"chunker/job.go", "function.go", "go.mod"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImpossibleListReportsReason(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gcloudignore"), []byte("#!include:nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := upload.List(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("got %v, want an error that names the file that is not there", err)
	}
}
