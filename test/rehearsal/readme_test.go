//go:build long

package rehearsal_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blockOf finds the only block of a language on a page.
func blockOf(t *testing.T, page []byte, language string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)\n```"+language+"\n(.*?)\n```\n").FindAllSubmatch(page, -1)
	if len(found) != 1 {
		t.Fatalf("emulator/README.md has %d code blocks in %s, want 1", len(found), language)
	}
	return string(found[0][1]) + "\n"
}

// The commands and the code of emulator/README.md, pasted into a new module, produce the event and the rejection
// that the page shows. All modules come from the cache, without a network.
func TestEmulatorReadmeExample(t *testing.T) {
	checkout, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(checkout, "emulator", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	modules, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	shop := t.TempDir()
	for name, text := range map[string]string{
		// Without a network, go.mod lists the versions in the cache. go mod tidy removes the unused ones.
		"go.mod":       strings.Replace(string(modules), "module example.com/relationindex\n", "module example.com/shop\n", 1),
		"go.sum":       string(sums),
		"shop_test.go": blockOf(t, readme, "go"),
	} {
		if err := os.WriteFile(filepath.Join(shop, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	add := strings.ReplaceAll(blockOf(t, readme, "sh"), "=../relationindex", "="+checkout)
	var environment []string
	for _, variable := range os.Environ() { //nolint:forbidigo // of a go command, without our variables
		if !strings.HasPrefix(variable, "RELATIONINDEX_") {
			environment = append(environment, variable)
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", add+"go test -count=1 -v .")
	cmd.Dir, cmd.Env = shop, append(environment, "GOPROXY=off", "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: Example")) {
		t.Errorf("%v:\n%s", err, out)
	}
}
