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

// root is the module's directory.
const root = "../../../../.."

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
	want, err := os.ReadFile(root + "/cmd/relationindex/internal/deploy/testdata/dry-run.txt")
	if got := script(t, "."); err != nil || got != string(want) {
		t.Errorf("scripts/deploy prints %s, not what cmd/relationindex/internal/deploy has in testdata: %v", got, err)
	}
}

// An app's firestore.rules are its own, wherever the script is.
func TestScriptReadsRulesOfCallersFolder(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := os.ReadFile(root + "/firestore.rules")
	if err != nil {
		t.Fatal(err)
	}
	rules = append([]byte("// And those of the app.\n"), rules...) // ours alone would be refused as a file
	if err := os.WriteFile(filepath.Join(dir, "firestore.rules"), rules, 0o600); err != nil {
		t.Fatal(err)
	}
	script(t, dir, "--rules", "firestore.rules", "--files", "plan")
	written, err := os.ReadFile(filepath.Join(dir, "plan", "firestore.rules"))
	if err != nil || !bytes.HasSuffix(written, append([]byte("\n"), rules...)) {
		t.Errorf("it would deploy %.200s, %v", written, err)
	}
}

// all are the plans of everything that can be asked for.
func all(t *testing.T) []*deploy.Plan {
	t.Helper()
	o := options()
	o.Source = os.DirFS(root)
	full := o
	full.Name, full.Location, full.Region = "blue-2", "europe-west1", "europe-west1"
	full.Sample, full.SampleRepair = 1000, true
	full.Notify = []string{"projects/p/notificationChannels/1", "projects/p/notificationChannels/2"}
	full.RulesFile, full.OwnRules = "my rules", []byte("x")
	full.Config.Database, full.Config.AuthorFields, full.Config.CopiedFields = "blue", []string{"name=authorName"}, []string{"a", "b"}
	little := o
	little.NoFeed, little.RulesFile, little.Source = true, deploy.KeepRules, watched
	return []*deploy.Plan{plan(t, o), plan(t, full), plan(t, little), removal(t, o, false), removal(t, full, true)}
}

// commandsOf are all commands of a plan: what it asks, and what it does.
func commandsOf(p *deploy.Plan) []deploy.Command {
	var all []deploy.Command
	for _, c := range p.Checks {
		all = append(all, c.Ask)
	}
	for _, s := range p.Steps {
		all = slices.Concat(all, []deploy.Command{s.Look}, s.Create, s.Update, s.Undo)
	}
	for _, c := range all {
		all = append(all, deploy.Command{Args: c.Each})
	}
	return slices.DeleteFunc(all, func(c deploy.Command) bool { return c.Args == nil })
}

// commands are all commands of plans, and those that a person is told to run.
func commands(plans []*deploy.Plan) []deploy.Command {
	var out []deploy.Command
	for _, p := range plans {
		out = append(out, commandsOf(p)...)
		for _, c := range p.Checks {
			if words := strings.Fields(c.Fix); strings.HasPrefix(c.Fix, "gcloud ") && !strings.Contains(c.Fix, ", ") {
				out = append(out, deploy.Command{Args: words})
			}
		}
	}
	slices.SortFunc(out, func(a, b deploy.Command) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(out, func(a, b deploy.Command) bool { return a.String() == b.String() })
}

// gcloud's own parser accepts every command that a plan prints.
func TestGcloudAcceptsEveryCommand(t *testing.T) {
	t.Parallel()
	g, err := gcloudProcess()
	if err != nil {
		t.Fatal(err)
	}
	dir, n := t.TempDir(), 0
	plans := all(t)
	for _, p := range plans {
		if err := p.WriteFiles(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commands(plans) {
		if c.Args[0] != "gcloud" {
			continue
		}
		n++
		if err := g.parse(deploy.Expand(c.Args[1:], map[string]string{"WORK": dir, "SOURCE": "abc", "LINE": word(c)})); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
	t.Logf("%d commands", n)

	// A wrong one would be noticed.
	for name, wrong := range map[string]string{
		"a flag": "functions deploy f --gen3", "a value": "functions deploy f --timeout=soon", "a word": "functions enploy f",
		"a choice":           "scheduler jobs create http j --schedule=x --uri=https://x --http-method=fetch",
		"what must be there": "scheduler jobs create http j",
	} {
		if err := g.parse(strings.Fields(wrong)); err == nil {
			t.Errorf("%s is wrong in %s, and gcloud takes it", name, wrong)
		}
	}
}

// word is what the list of a command may print.
func word(c deploy.Command) string {
	for format, word := range map[string]string{"serviceConfig.uri": "https://x", "name.basename()": "f", "email": "relationindex-feed@p.iam.gserviceaccount.com", "bindings.role": "roles/run.invoker"} {
		if slices.Contains(c.Each, "--format=value("+format+")") {
			return word
		}
	}
	return "projects/p/dashboards/1"
}

// firebase-tools' own definitions have every command and flag that a plan prints.
func TestFirebaseToolsAcceptsEveryCommand(t *testing.T) {
	t.Parallel()
	var ours [][]string
	for _, c := range commands(all(t)) {
		if c.Args[0] == "firebase" {
			ours = append(ours, c.Args[1:])
		}
	}
	if said := defined(t, ours); len(ours) < 4 || said != "" {
		t.Errorf("%v: %s", ours, said)
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
