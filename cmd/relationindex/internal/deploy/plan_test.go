package deploy_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	module "example.com/relationindex"
	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/schema"
)

// root is the module's directory.
const root = "../../../.."

var update = flag.Bool("update", false, "write testdata")

// printed are the options of the scripts that testdata has, by file.
func printed() map[string]deploy.Options {
	all := map[string]deploy.Options{}
	add := func(name, location, region string, change func(*deploy.Options)) {
		o := options()
		o.Location, o.Region = location, region
		change(&o)
		all[name] = o
	}
	add("nam5", "nam5", "us-central1", func(*deploy.Options) {})
	add("us-central1", "us-central1", "us-central1", func(o *deploy.Options) { o.RulesKind, o.MaxInstances = deploy.KeepRules, 5 })
	add("eur3", "eur3", "europe-west1", func(o *deploy.Options) { o.RulesKind, o.NoFeed = deploy.StandardRules, true })
	add("blue", "nam5", "us-central1", func(o *deploy.Options) {
		o.Name, o.Config.Database, o.RulesKind, o.Rules = "blue", "blue", deploy.FeedOnlyRules, module.FirestoreFeedOnlyRules
	})
	add("numbers", "nam5", "us-central1", func(o *deploy.Options) {
		o.Config.Feeds, o.Config.Counts, o.Config.Notifications, o.Config.CopiedFields = []string{"buckets"}, true, true, []string{"text", "photo"}
		o.Notify = []string{"projects/p/notificationChannels/7"}
	})
	return all
}

// The scripts of deployments and of their removal, as --dry-run prints them. A shell finds no mistake in them; make lint has
// shellcheck read them.
func TestPrintedScripts(t *testing.T) {
	t.Parallel()
	scripts := map[string]*deploy.Plan{}
	for name, o := range printed() {
		scripts[name] = plan(t, o)
	}
	removal, err := deploy.Removal(options())
	if err != nil {
		t.Fatal(err)
	}
	scripts["undeploy"] = removal
	for name, p := range scripts {
		file := "testdata/" + name + ".sh"
		if *update {
			if err := os.WriteFile(file, []byte(p.Script), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(p.Script, "\n")); diff != "" {
			t.Errorf("%s is another: go test ./cmd/relationindex/internal/deploy -run Printed -update (-want +got):\n%s", file, diff)
		}
		sh := exec.CommandContext(t.Context(), "bash", "-n")
		sh.Stdin = strings.NewReader(p.Script)
		if out, err := sh.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	// Without the decisions of the program, a printed script stops at once.
	sh := exec.CommandContext(t.Context(), "bash", "cmd/relationindex/internal/deploy/testdata/nam5.sh")
	sh.Dir = root
	if out, err := sh.CombinedOutput(); err == nil || !strings.Contains(string(out), "INDEXES: write, or keep") {
		t.Errorf("without its decisions: %v\n%s", err, out)
	}
}

// A summary comes first: what is made, how long it takes, what it costs.
func TestSummary(t *testing.T) {
	t.Parallel()
	o := options()
	o.Notify = []string{"projects/p/notificationChannels/7"}
	got := plan(t, o).Summary()
	for _, want := range []string{"functions  7 in us-central1: relationindex-on-follower-written, ", "4 service accounts: relationindex-functions, ", ", sent to 1 channel", "7 builds, about 22 minutes the first time, and up to 20 more", "0.16 USD a month: a job of the scheduler, and a secret.", "43,200 calls", "alerts are free until September 2027; then the 20 metrics that they read cost 7.00 USD a month"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "Cloud Build may refuse") {
		t.Error("Cloud Build builds in us-central1")
	}
	o.Location, o.Region = "eur3", "europe-west4"
	if got := plan(t, o).Summary(); !strings.Contains(got, "Cloud Build may refuse europe-west4 to a new project") {
		t.Errorf("it does not say that europe-west4 is restricted:\n%s", got)
	}
}

// A shell hands a printed command's words to the program as they are.
func TestCommandsAreQuotedForAShell(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`(--[a-z]+=)?[ -~\n]{0,12}`), 1, 5).Draw(t, "words")
		out, err := exec.Command("sh", "-c", "unset WORK SOURCE DEPLOYED\n"+deploy.Shell(append([]string{"printf", `%s\0`}, words...)...)).Output()
		if err != nil {
			t.Fatalf("%q: %v", words, err)
		}
		want := strings.NewReplacer("$WORK", "", "$SOURCE", "", "$DEPLOYED", "").Replace(strings.Join(words, "\x00") + "\x00")
		if string(out) != want {
			t.Fatalf("%q prints %q", words, out)
		}
	})
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "WORK='a dir'\n"+deploy.Shell("printf", "%s", "--config=$WORK/a file")).Output()
	if err != nil || string(out) != "--config=a dir/a file" {
		t.Errorf("it prints %q, %v", out, err)
	}
}

// Without an installed firebase-tools, the plan uses the version tested here.
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

// options are those of a first deployment.
func options() deploy.Options {
	return deploy.Options{
		Project: "p", Location: "nam5", Region: "us-central1", Name: deploy.DefaultName,
		Indexes: module.FirestoreIndexes, Rules: module.FirestoreRules, Source: os.DirFS(root),
	}
}

// plan is the plan of a deployment.
func plan(t *testing.T, o deploy.Options) *deploy.Plan {
	t.Helper()
	p, err := deploy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Metrics of Firestore are of every database of the project: an alert that asks for one names its own.
func TestAlertsAreOfTheDeploymentsDatabase(t *testing.T) {
	t.Parallel()
	for database, id := range map[string]string{"": "(default)", "blue": "blue"} {
		o := options()
		o.Config.Database = database
		p, err := deploy.New(o)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for file, text := range p.Files {
			if strings.HasPrefix(file, "monitoring/") && strings.Contains(string(text), "DATABASE") {
				t.Errorf("%s has the word DATABASE", file)
			}
			asking := strings.Count(string(text), `metric.type=\"firestore.googleapis.com/`)
			asked += asking
			if n := strings.Count(string(text), `resource.labels.database_id=\"`+id+`\"`); n != asking {
				t.Errorf("%s asks %d times for a metric of Firestore, %d times of the database %s", file, asking, n, id)
			}
		}
		if asked == 0 {
			t.Error("no alert asks for a metric of Firestore")
		}
	}
}

// The key is in Secret Manager: no plan contains it, printed or not, and none contains a key of the shell.
// Only functions that read tombstones or make jobs may read it. The key belongs to the database.
func TestTombstoneKeyIsOnlyInSecretManager(t *testing.T) {
	t.Parallel()
	const key = "a-key-that-nobody-may-see"
	o := options()
	o.Config.TombstoneKey = key
	p, err := deploy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	made := string(p.Files["tombstone-key"])
	if (schema.Config{Project: "p", TombstoneKey: made}).Validate() != nil || made == "" {
		t.Errorf("the key that is made is %q", made)
	}
	removal, err := deploy.Removal(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*deploy.Plan{p, removal} {
		if all := p.Script + fmt.Sprint(p.Checks); strings.Contains(all, key) || strings.Contains(all, made) {
			t.Error("a key is on a command line of the plan")
		}
	}
	var bound []string
	for line := range strings.Lines(p.Script) {
		if words := strings.Fields(line); strings.Contains(line, "--set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1 ") {
			bound = append(bound, words[2])
		}
	}
	want := []string{"relationindex-on-follower-written", "relationindex-on-post-written", "relationindex-on-job-written", "relationindex-on-user-deleted", "relationindex-on-block-written"}
	if diff := cmp.Diff(want, bound); diff != "" {
		t.Errorf("functions with the secret (-want +got):\n%s", diff)
	}
	o.Config.Database, o.Name = "blue", "other"
	if p, err = deploy.New(o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Script, "=relationindex-tombstone-key-blue:1 ") || string(p.Files["tombstone-key"]) == made {
		t.Error("another database has the same key")
	}
}
