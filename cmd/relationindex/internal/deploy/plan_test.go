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
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

// root is the module's directory.
const root = "../../../.."

var update = flag.Bool("update", false, "write testdata/dry-run.txt")

// The whole plan of a first deployment, as it is printed.
func TestDryRun(t *testing.T) {
	t.Parallel()
	p, err := deploy.New(options())
	if err != nil {
		t.Fatal(err)
	}
	got := p.Text("")
	const golden = "testdata/dry-run.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("go test ./cmd/relationindex/internal/deploy -run TestDryRun -update writes it anew (-golden +printed):\n%s", diff)
	}
	// A shell finds no mistake in it.
	sh := exec.CommandContext(t.Context(), "sh", "-n")
	sh.Stdin = strings.NewReader(got)
	if out, err := sh.CombinedOutput(); err != nil {
		t.Errorf("sh -n: %v\n%s", err, out)
	}
}

// The printed plan names its database and the paths of its files.
func TestPlanNamesDatabaseAndFiles(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"", "blue"} {
		o := options()
		o.Config.Database = database
		p := plan(t, o)
		if text := p.Text("a dir"); !strings.HasPrefix(text, "# Deployment relationindex, project p, database "+o.Config.DatabaseID()+"\n") || !strings.Contains(text, "\nWORK='a dir'\n") {
			t.Errorf("it begins with %.80s", text)
		}
		// A shell without the files stops at once.
		sh := exec.CommandContext(t.Context(), "sh")
		sh.Stdin = strings.NewReader(p.Text(""))
		if out, err := sh.CombinedOutput(); err == nil || !strings.Contains(string(out), "--files DIR writes the files") {
			t.Errorf("without its files: %v\n%s", err, out)
		}
	}
}

// Commands may be pasted twice: what a command makes once, it makes where a list does not have it.
func TestPrintedCommandsMayBeRunAgain(t *testing.T) {
	t.Parallel()
	for _, list := range []string{"", "there"} {
		say := func(what string) []deploy.Command { return []deploy.Command{{Args: []string{"echo", what}}} }
		look := deploy.Command{Args: []string{"printf", list}}
		words := deploy.Command{Args: []string{"echo", "$LINE"}, Each: []string{"printf", "a b"}}
		for _, tt := range []struct {
			step         deploy.Step
			removal      bool
			first, again string
		}{
			{deploy.Step{Look: look, Once: true, Create: say("create")}, false, "create\n", ""},
			{deploy.Step{Look: look, Create: say("create"), Update: say("update")}, false, "create\n", "update\n"},
			{deploy.Step{Look: look, Create: say("create")}, false, "create\n", "create\n"},
			{deploy.Step{Create: []deploy.Command{words}}, false, "a\nb\n", "a\nb\n"},
			{deploy.Step{Look: look, Ours: "there", Create: say("create"), Update: say("update")}, false, "create\n", "update\n"},
			{deploy.Step{Look: look, Undo: say("undo")}, true, "", "undo\n"},
			{deploy.Step{Look: look, Ours: "there", Undo: say("undo")}, true, "", "undo\n"},
			{deploy.Step{Look: look, Ours: "ours of x: ", Undo: say("undo")}, true, "", ""}, // somebody else's
			{deploy.Step{Look: look, Create: say("create")}, true, "", ""},
		} {
			want := tt.first
			if list != "" {
				want = tt.again
			}
			text := "set -e\n" + deploy.StepText(tt.step, tt.removal)
			out, err := exec.CommandContext(t.Context(), "sh", "-c", text+"\ntrue").Output()
			if err != nil || string(out) != want {
				t.Errorf("%s: prints %q, %v, want %q", text, out, err, want)
			}
		}
	}
}

// A summary comes first: what is made, how long it takes, what it costs.
func TestSummary(t *testing.T) {
	t.Parallel()
	o := options()
	o.Notify = []string{"projects/p/notificationChannels/7"}
	got := plan(t, o).Summary()
	for _, want := range []string{"functions  7 in us-central1: relationindex-on-follower-written, ", "4 service accounts: relationindex-functions, ", "alerts     14, sent to 1 channel", "about 20 minutes", "0.16 USD a month for 1 job of the scheduler and a secret", "18 conditions"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}

// A shell hands a printed command's words to the program as they are.
func TestCommandsAreQuotedForAShell(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`(--[a-z]+=)?[ -~\n]{0,12}`), 1, 5).Draw(t, "words")
		c := deploy.Command{Args: append([]string{"printf", `%s\0`}, words...)}
		out, err := exec.Command("sh", "-c", "unset WORK SOURCE DEPLOYED LINE\n"+c.String()).Output()
		if err != nil {
			t.Fatalf("%s: %v", c, err)
		}
		var want string
		for _, w := range deploy.Expand(words, map[string]string{"WORK": "", "SOURCE": "", "DEPLOYED": "", "LINE": ""}) {
			want += w + "\x00"
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

// atPace is the same with a pace.
func atPace(t *testing.T, o deploy.Options) deploy.Options {
	t.Helper()
	rules, err := config.Paced(o.Rules)
	if err != nil {
		t.Fatal(err)
	}
	o.Rules, o.Pace = rules, true
	return o
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

// Rules are replaced without a request only if nothing unknown is lost.
func TestDeploymentReplacesOnlyItsOwnRules(t *testing.T) {
	t.Parallel()
	text := func(o deploy.Options) string { return string(plan(t, o).Files["firestore.rules"]) }
	ours := text(options())
	released := options()
	released.Rules = append([]byte("// an older release\n"), module.FirestoreRules...)
	standard := options()
	standard.RulesFile = deploy.StandardRules
	private := options()
	private.RulesFile, private.Rules = deploy.FeedOnlyRules, module.FirestoreFeedOnlyRules
	feedOnly := text(private)
	paced, privatePaced := atPace(t, options()), atPace(t, private)
	merged := options()
	merged.RulesFile, merged.OwnRules = "/my.rules", []byte("// mine and ours\n")
	before := merged
	before.OwnRules = []byte("// mine\n")
	mergedPaced, laterPaced := before, merged
	mergedPaced.Pace, laterPaced.Pace = true, true
	moved, slip := merged, merged
	moved.RulesFile, slip.RulesFile = "/elsewhere/my.rules", "/others.rules"
	blue := options()
	blue.Config = schema.Config{NoOwnPosts: true, Database: "blue"}
	const everybody = "rules_version = '2';\nservice cloud.firestore {\n  match /databases/{database}/documents {\n    match /{document=**} {\n      allow read, write: if true;\n    }\n  }\n}\n"
	const digest = "--replace-rules="
	for _, tt := range []struct {
		name, live string
		o          deploy.Options
		says       string // "": replaced
		fix        string
	}{
		{"ours as they are", ours, options(), "", ""},
		{"ours of another release", text(released), options(), "ours of another release", digest},
		{"ours of another release, of feed-only ones", strings.Replace(text(released), "relationindex: ", "relationindex: feed-only ", 1), private, "ours of another release", digest},
		{"ours, changed by a person", ours + "// mine\n", options(), "rules that are not ours", digest},
		{"ours of another deployment", ours, blue, "rules that are not ours", digest},
		{"a person's", everybody, options(), "rules that are not ours", "--rules FILE"},
		{"feed-only ones by a deployment that forgets them", feedOnly, options(), "those of --rules feed-only", "--rules standard " + digest},
		{"feed-only ones by others", feedOnly, standard, "the others of ours, by which clients do not read relations", digest},
		{"others by feed-only ones", ours, private, "the others of ours, by which clients read relations", digest},
		{"feed-only ones by themselves", feedOnly, private, "", ""},
		{"those with a pace by themselves", text(paced), paced, "", ""},
		{"those with a pace by a deployment that forgets it", text(paced), options(), "the others of ours, by which acts have a pace", digest},
		{"those without a pace by others", ours, paced, "the others of ours, by which acts have no pace", digest},
		{"feed-only ones with a pace by themselves", text(privatePaced), privatePaced, "", ""},
		{"feed-only ones with a pace by standard ones", text(privatePaced), atPace(t, standard), "the others of ours, by which clients do not read relations", digest},
		{"feed-only ones with a pace by a deployment that forgets the pace", text(privatePaced), private, "the others of ours, by which acts have a pace", digest},
		{"a file with a pace by a deployment that forgets it", text(mergedPaced), merged, `those of a file, by --rules "my.rules" --pace`, digest},
		{"a file with a pace by what it has become", text(mergedPaced), laterPaced, "", ""},
		{"feed-only ones, changed by a person", feedOnly + "// mine\n", private, "rules that are not ours", digest},
		{"a file by itself", text(merged), merged, "", ""},
		{"a file by what it has become", text(before), merged, "", ""},
		{"a file by what it has become in another folder", text(before), moved, "", ""},
		{"a file by another", text(before), slip, `those of a file, by --rules "my.rules"`, digest},
		{"a file by feed-only ones", text(merged), private, "those of a file", digest},
		{"a file that a person has changed in the database", text(before) + "// more\n", merged, "rules that are not ours", digest},
		{"a file by ours", text(merged), options(), "those of a file", digest},
		{"ours by a file", ours, merged, "the others of ours", digest},
		{"a person's by a file", everybody, merged, "rules that are not ours", digest},
	} {
		err := deploy.MayReplace(tt.o, tt.live)
		if tt.says == "" {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "the database has "+tt.says) || !strings.Contains(err.Error(), "/project/p/firestore/databases/") {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		} else if fix := deploy.FixOf(err); !strings.Contains(fix, tt.fix) {
			t.Errorf("%s: to go on it says %s", tt.name, fix)
		}
		// Those that are named go, and only those.
		named := tt.o
		named.ReplaceRules = deploy.Digest(tt.o, tt.live)
		if err := deploy.MayReplace(named, tt.live); (err == nil) != (tt.live != feedOnly || tt.o.RulesFile != "") {
			t.Errorf("%s, with --replace-rules: %v", tt.name, err)
		}
		if err := deploy.MayReplace(named, tt.live+" "); err == nil {
			t.Errorf("%s: with --replace-rules of what was there before, they are replaced", tt.name)
		}
	}
}

// The digest of rules is of one database: a script with it replaces none of another, nor of another project.
func TestRulesDigestIsPerDatabase(t *testing.T) {
	t.Parallel()
	const somebodys = "service cloud.firestore { match /mine {} }"
	o := options()
	o.ReplaceRules = deploy.Digest(o, somebodys)
	otherProject, blue := o, o
	otherProject.Project, blue.Config = "q", schema.Config{NoOwnPosts: true, Database: "blue"}
	for name, tt := range map[string]deploy.Options{"the same": o, "another project": otherProject, "another database": blue} {
		if err := deploy.MayReplace(tt, somebodys); (err == nil) != (name == "the same") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The printed plan states the cost of a flag.
func TestPlanStatesCostOfFlags(t *testing.T) {
	t.Parallel()
	o := atPace(t, options())
	o.Sample = 10_000
	text := plan(t, o).Text("")
	for _, want := range []string{"rules, with a pace: clients that write no rates are rejected\n", "runs verify --sample each hour: 7,200,000 reads in 30 days, and those of what it finds\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	removal, err := deploy.Removal(options(), false)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(removal.Text(""), "reads in 30 days") {
		t.Error("a removal has reads")
	}
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
			if strings.Contains(string(text), "DATABASE") {
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
// Only functions that read tombstones may read it. The key belongs to the database.
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
	removal, err := deploy.Removal(o, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*deploy.Plan{p, removal} {
		if all := p.Text("") + fmt.Sprint(p.Steps, p.Checks); strings.Contains(all, key) || strings.Contains(all, made) {
			t.Error("a key is on a command line of the plan")
		}
	}
	bound := map[string]bool{}
	for _, s := range p.Steps {
		for _, c := range s.Create {
			if strings.Contains(c.String(), `--set-secrets=RELATIONINDEX_TOMBSTONE_KEY=relationindex-tombstone-key-default:1`) {
				bound[s.Title] = true
			}
		}
	}
	want := map[string]bool{}
	for _, name := range []string{"on-follower-written", "on-post-written", "on-block-written", "on-user-deleted", "on-job-written"} {
		want["function relationindex-"+name] = true
	}
	if diff := cmp.Diff(want, bound); diff != "" {
		t.Errorf("functions with the secret (-want +got):\n%s", diff)
	}
	if !strings.Contains(p.Text(""), "gcloud secrets add-iam-policy-binding relationindex-tombstone-key-default") {
		t.Error("nothing lets the functions read the secret")
	}
	o.Config.Database, o.Name = "blue", "other"
	if p, err = deploy.New(o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.Text(""), "=relationindex-tombstone-key-blue:1 ") || string(p.Files["tombstone-key"]) == made {
		t.Error("another database has the same key")
	}
}
