//go:build long

package deploy_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

// script runs scripts/deploy --dry-run, which takes no network, in a directory.
func script(t *testing.T, dir string, more ...string) string {
	t.Helper()
	path, err := filepath.Abs(root + "/scripts/deploy")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"--dry-run", "--project", "p", "--location", "nam5", "--region", "us-central1"}, more...)...)
	cmd.Dir = dir
	for _, entry := range cmd.Environ() { // of the shell that runs the test
		if !strings.HasPrefix(entry, "RELATIONINDEX_") && !strings.Contains(entry, "_EMULATOR_HOST=") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	got, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func TestScriptPrintsPlan(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/nam5.sh")
	if got := script(t, "."); err != nil || got != string(want) {
		t.Errorf("scripts/deploy prints %s, not what testdata has: %v", got, err)
	}
}

// gcloud's own parser accepts what checks ask, and what they tell a person to run. A script's commands all run in the tests of
// deployments.
func TestGcloudAcceptsChecks(t *testing.T) {
	t.Parallel()
	g, err := gcloudProcess()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, p := range []*deploy.Plan{plan(t, options()), removal(t, options())} {
		for _, c := range p.Checks {
			for _, words := range [][]string{c.Ask, strings.Fields(strings.ReplaceAll(c.Fix, "'", ""))} {
				if len(words) < 3 || words[0] != "gcloud" || slices.Contains(words, "or") {
					continue
				}
				n++
				if err := g.parse(words[1:]); err != nil {
					t.Errorf("%q: %v", words, err)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("%d commands", n)
	}
	// A wrong one would be noticed.
	for name, wrong := range map[string]string{"a flag": "functions deploy f --gen3", "a value": "functions deploy f --timeout=soon", "a word": "functions enploy f"} {
		if err := g.parse(strings.Fields(wrong)); err == nil {
			t.Errorf("%s is wrong in %s, and gcloud takes it", name, wrong)
		}
	}
}

// firebase-tools' own definitions have every command and flag that a plan prints.
func TestFirebaseToolsAcceptsEveryCommand(t *testing.T) {
	t.Parallel()
	ours := [][]string{
		{"--version"}, {"firestore:indexes", "--project=p", "--database=(default)", "--non-interactive"},
		{"deploy", "--only=firestore:indexes", "--config=x", "--project=p", "--non-interactive"}, {"deploy", "--only=firestore:rules", "--config=x", "--project=p", "--non-interactive"},
	}
	if said := defined(t, ours); said != "" {
		t.Errorf("it says %s", said)
	}
	if said := defined(t, [][]string{{"deploy", "--onlie=x"}, {"deplore"}}); strings.Count(said, "\n") != 2 {
		t.Errorf("of two wrong ones it says %q", said)
	}
}

// defined is what firebase-tools does not know of commands, a line each.
func defined(t *testing.T, commands [][]string) string {
	t.Helper()
	return string(firebaseTools(t, "firebase.cjs", commands))
}

// firebaseTools runs a script of testdata on the modules of firebase-tools. It returns what the
// script prints of the JSON of given.
func firebaseTools(t *testing.T, script string, given any) []byte {
	t.Helper()
	text, err := json.Marshal(given)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/"+script, root+"/web/node_modules/firebase-tools")
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("this test needs firebase-tools, see scripts/setup-web: %v\n%s", err, &stderr)
	}
	return out
}

// gcloud accepts the commands of the page on workflows.
func TestGcloudAcceptsWorkflowsPage(t *testing.T) {
	t.Parallel()
	g, err := gcloudProcess()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(root + "/docs/operations/deploy-workflow.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(page), "```\n")
	block, _, _ = strings.Cut(block, "```")
	block = strings.NewReplacer("\\\n", " ", "=P ", "=p ", "=P\n", "=p\n", "@P.", "@p.").Replace(block)
	n := 0
	for line := range strings.Lines(strings.TrimSpace(block)) {
		words, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+line).Output()
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSpace(string(words)), "\n")
		if err := g.parse(args[1:]); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		n++
	}
	if n != 5 {
		t.Errorf("%d commands, want five", n)
	}
}
