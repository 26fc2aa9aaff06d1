package deploy_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/relationindex/internal/deploy"
)

// root is the module's directory.
const root = "../.."

var update = flag.Bool("update", false, "write testdata/dry-run.txt")

// The whole plan of a first deployment, as the script prints it. It needs no network: the requests of go run aside, there are none.
func TestDryRun(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), root+"/scripts/deploy", "--dry-run", "--project", "p", "--location", "nam5", "--region", "us-central1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	for _, entry := range cmd.Environ() { // of the shell that runs the test
		if !strings.HasPrefix(entry, "RELATIONINDEX_") && !strings.Contains(entry, "_EMULATOR_HOST=") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	got, err := cmd.Output()
	if err != nil {
		t.Fatalf("scripts/deploy: %v\n%s", err, &stderr)
	}
	const golden = "testdata/dry-run.txt"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("go test ./internal/deploy -run TestDryRun -update writes it anew (-golden +printed):\n%s", diff)
	}
	// A shell finds no mistake in it.
	sh := exec.CommandContext(t.Context(), "sh", "-n")
	sh.Stdin = bytes.NewReader(got)
	if out, err := sh.CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v\n%s", err, out)
	}
}

// all are the plans of everything that can be asked for.
func all(t *testing.T) []*deploy.Plan {
	t.Helper()
	o := options()
	o.Source = os.DirFS(root)
	full := o
	full.Name, full.Location, full.Region = "blue-2", "europe-west1", "europe-west1"
	full.Notify = []string{"projects/p/notificationChannels/1", "projects/p/notificationChannels/2"}
	full.RulesFile, full.OwnRules = "my rules", []byte("x")
	full.Config.Database, full.Config.AuthorFields, full.Config.CopiedFields = "blue", []string{"name=authorName"}, []string{"a", "b"}
	little := o
	little.NoFeed, little.RulesFile, little.Source = true, deploy.KeepRules, watched
	return []*deploy.Plan{plan(t, o), plan(t, full), plan(t, little), removal(t, o, false), removal(t, full, true)}
}

// commands are all commands of plans, each once.
func commands(plans []*deploy.Plan) []deploy.Command {
	var out []deploy.Command
	for _, p := range plans {
		out = append(out, p.Variables...)
		for _, c := range p.Preconditions {
			if c.Command != nil {
				out = append(out, *c.Command)
			}
			if words := strings.Fields(c.Fix); strings.HasPrefix(c.Fix, "gcloud ") && !strings.Contains(c.Fix, ", ") {
				out = append(out, deploy.Command{Args: words})
			}
		}
		for _, s := range p.Steps {
			if s.Look != nil {
				out = append(out, *s.Look)
			}
			out = slices.Concat(out, s.Create, s.Update, s.Undo)
		}
	}
	slices.SortFunc(out, func(a, b deploy.Command) int { return strings.Compare(a.String(), b.String()) })
	return slices.CompactFunc(out, func(a, b deploy.Command) bool { return a.String() == b.String() })
}

// gcloud's own parser takes every command that a plan prints.
func TestGcloudTakesEveryCommand(t *testing.T) {
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
	values := map[string]string{"WORK": dir, "SOURCE": "abc", "SWEEP_URL": "https://x", "ID": "projects/p/dashboards/1", "LINE": "projects/p/dashboards/1"}
	for _, c := range commands(plans) {
		if c.Args[0] != "gcloud" {
			continue
		}
		n++
		if err := g.parse(deploy.ExpandAll(c, values)[1:]); err != nil {
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

// firebase-tools' own definitions have every command and flag that a plan prints.
func TestFirebaseToolsTakesEveryCommand(t *testing.T) {
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
	given, err := json.Marshal(commands)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/firebase.cjs", root+"/web/node_modules/firebase-tools")
	cmd.Stdin = bytes.NewReader(given)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("this test needs firebase-tools, see scripts/setup-web: %v\n%s", err, &stderr)
	}
	return string(out)
}

// A shell hands a printed command's words to the program as they are.
func TestCommandsAreQuotedForAShell(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`(--[a-z]+=)?[ -~\n]{0,12}`), 1, 5).Draw(t, "words")
		c := deploy.Command{Args: append([]string{"printf", `%s\0`}, words...)}
		out, err := exec.Command("sh", "-c", "unset WORK SOURCE SWEEP_URL ID IDS LINE\n"+c.String()).Output()
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		var want string
		for _, w := range words {
			want += deploy.Expand(w) + "\x00"
		}
		if string(out) != want {
			t.Fatalf("%s prints %q, want %q", c, out, want)
		}
	})
	work := deploy.Command{Args: []string{"printf", "%s", "--config=$WORK/a file"}}
	out, err := exec.Command("sh", "-c", "WORK='a dir'\n"+work.String()).Output()
	if err != nil || string(out) != "--config=a dir/a file" {
		t.Errorf("%s prints %q, %v", work, out, err)
	}
}

// Who has no firebase-tools gets the version that is tested here.
func TestNpxGetsTheLockedVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(root + "/web/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		t.Fatal(err)
	}
	if want := "firebase-tools@" + lock.Packages["node_modules/firebase-tools"].Version; deploy.FirebaseTools != want {
		t.Errorf("npx gets %s, locked is %s", deploy.FirebaseTools, want)
	}
}
