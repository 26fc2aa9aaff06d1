package deploy_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

// rule is what Google's documents say about something that a deployment sends, and holds judges a printed script with its files.
type rule struct {
	finding, says, source string // read on 29 November 2026
	holds                 func(p *deploy.Plan) error
}

// each checks every value that a pattern finds, and that it finds one.
func each(pattern string, check func(value string) bool) func(*deploy.Plan) error {
	return func(p *deploy.Plan) error {
		found := regexp.MustCompile(pattern).FindAllStringSubmatch(p.Script, -1)
		for _, m := range found {
			if !check(m[1]) {
				return fmt.Errorf("of %q", m[0])
			}
		}
		if len(found) == 0 {
			return fmt.Errorf("nothing is like %s", pattern)
		}
		return nil
	}
}

// atMost accepts values of at most n characters.
func atMost(n int) func(string) bool { return func(v string) bool { return len(v) <= n } }

// between accepts numbers.
func between(from, to float64) func(string) bool {
	return func(v string) bool {
		n, err := strconv.ParseFloat(v, 64)
		return err == nil && n >= from && n <= to
	}
}

// ordered checks that texts come one after another in main.
func ordered(texts ...string) func(*deploy.Plan) error {
	return func(p *deploy.Plan) error {
		_, rest, _ := strings.Cut(p.Script, "\nmain() {")
		for _, text := range texts {
			var ok bool
			if _, rest, ok = strings.Cut(rest, text); !ok {
				return fmt.Errorf("%q is not there, or not in this order", text)
			}
		}
		return nil
	}
}

func lacksText(text string) func(*deploy.Plan) error {
	return func(p *deploy.Plan) error {
		if strings.Contains(p.Script, text) {
			return fmt.Errorf("it has %q", text)
		}
		return nil
	}
}

const label = `^[a-z0-9_-]{1,63}$`

var rules = []rule{
	{"F3", "a project that had Pub/Sub's agent before April 8, 2021 needs this role on it", "eventarc/docs/functions roles-permissions, 4.4", ordered("roles/iam.serviceAccountTokenCreator", "@gcp-sa-pubsub.iam.gserviceaccount.com", "ensure function")},
	{"F5", "a role takes minutes: what needs it comes later, and waits for these texts", "functions/docs/troubleshooting", ordered("ensure account", "roles/cloudbuild.builds.builder", "--only=firestore:indexes", "ensure function")},
	{"F5", "the agent of Functions is made before it reads its repository of images", "firebase-tools 5244", ordered("identity create --service=cloudfunctions.googleapis.com", "ensure function")},
	{"F7", "rules of some 50 KB are rejected now and then, and of 256 KB always", "firebase-tools 2735; firebase docs, quotas", func(p *deploy.Plan) error {
		if n := len(p.Files["firestore.rules"]); n > 23_000 {
			return fmt.Errorf("of %d bytes", n)
		}
		return nil
	}},
	{"F8", "an organization may forbid allUsers: the invoker check goes instead", "run/docs/authenticating/public", lacksText("allUsers")},
	{"F8", "a deployment of the function may put the check back: it goes afterwards", "reports of others", ordered("--entry-point=Feed", "--no-invoker-iam-check")},
	{"F14", "an organization may allow one region alone", "resource-manager, gcp.resourceLocations", ordered("secrets create", "--replication-policy=user-managed --locations=us-central1")},
	{"F18", "policies have a released command, or alpha's", "sdk/gcloud/reference/monitoring/policies", func(p *deploy.Plan) error {
		if !strings.Contains(p.Script, `then gcloud monitoring policies "$@"; else gcloud alpha monitoring policies "$@"`) {
			return errors.New("it knows one alone")
		}
		return nil
	}},
	{"F20", "clients write by rules only when everything hears them", "judgement", ordered("ensure function", "ensure job", "--only=firestore:rules", "ensure open", "ensure metric", "watch policy", "watch dashboard")},
	{"", "the id of a service account has 6 to 30 characters", "iam/docs/service-accounts-create", each(`service-accounts create (\S+)`, regexp.MustCompile(`^[a-z][a-z0-9-]{4,28}[a-z0-9]$`).MatchString)},
	{"", "a description of a service account or role has at most 256 bytes", "iam/docs/reference/rest", each(`(?:service-accounts|roles) [a-z]+ \S+.*?--description='([^']*)'`, atMost(256))},
	{"", "the title of a role has at most 100 characters", "iam/docs/reference/rest", each(`--title='([^']*)'`, atMost(100))},
	{"", "a function's name has at most 63 characters, and its revision's a suffix", "functions/docs/deploy; run names", each(`functions deploy (\S+)`, regexp.MustCompile(`^[a-z][a-z0-9-]{0,48}$`).MatchString)},
	{"", "a label's value has at most 63 of a-z, 0-9, _ and -", "resource-manager/docs/labels", each(`relationindex(?:-flags)?=([^, "]*)(?:,| --)`, regexp.MustCompile(label).MatchString)},
	{"", "an event's function runs at most 540 s, and acknowledges within 600", "functions/quotas", each(`--timeout=(\d+)s`, between(1, 540))},
	{"", "a scheduler's deadline is 15 s to 30 minutes", "scheduler/docs/reference/rest, attemptDeadline", each(`--attempt-deadline=(\d+)s`, between(15, 1800))},
	{"", "a scheduler's description has at most 500 bytes", "scheduler/docs/reference/rest", each(`jobs "\$1" http .*--description='([^']*)'`, atMost(500))},
	{"", "less than one CPU serves one request at a time, with at most 512 MiB below 0.5", "run/docs/configuring/services/cpu", each(`(--memory=\d+Mi --cpu=0\.\S+ --concurrency=\d+)`, func(v string) bool {
		return strings.HasSuffix(v, "--concurrency=1") && strings.Contains(v, "--memory=256Mi")
	})},
	{"", "concurrency is at most 1,000", "run/docs/about-concurrency", each(`--concurrency=(\d+)`, between(1, 1000))},
	{"", "an instance has at least 128 MiB", "run/docs/configuring/services/memory-limits", each(`--memory=(\d+)Mi`, between(128, 32768))},
	{"", "a variable may not begin with X_GOOGLE_, nor be PORT or K_SERVICE", "run/docs/configuring/services/environment-variables", each(`--set-env-vars=(\S+)`, func(v string) bool {
		return !regexp.MustCompile(`(^|[,|])(X_GOOGLE_|PORT=|K_SERVICE=|K_REVISION=|K_CONFIGURATION=)`).MatchString(v)
	})},
	{"", "a trigger is in the place of its database", "firestore/docs/eventarc", each(`--trigger-location=(\S+)`, func(v string) bool { return v == "nam5" })},
	{"", "a failed event comes again only if the trigger says so", "functions/docs/bestpractices/retries", each(`--trigger-service-account=\S+ (--retry)?`, func(v string) bool { return v != "" })},
	{"", "one condition of a role compares with at most 12 operators, and its title is short", "iam/docs/conditions-overview", each(`title=([^' ]*)'`, atMost(100))},
	{"", "a metric's description has at most 8,000 characters", "logging/docs/reference/v2/rest, LogMetric", each(`ensure metric \S+ '[^']*' '([^']*)'`, atMost(8000))},
}

// sentences are findings that no command can answer: an operator reads the answer at the place.
var sentences = []struct{ finding, file, says string }{
	{"F4", "docs/operations/restore.md", "time-to-live"},
	{"F9", "docs/operations.md", "Service Usage Consumer"},
	{"F10", "docs/operations.md", "europe-west1"},
	{"F15", "docs/unproven.md", "nam7"},
	{"F16", "docs/operations/existing-app.md", "set-cleanup-policies"},
	{"F19", "docs/operations/new-project.md", "firebase login"},
	{"small: events of a weekend", "docs/playbooks.md", "--message-retention-duration=7d"},
	{"small: new triggers", "docs/operations/new-project.md", "two minutes"},
}

// The documents are the oracle of what is printed: nobody can deploy in a test. Rules of monitoring's files are in monitoring/.
func TestPrintedScriptKeepsGooglesRules(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"nam5", "numbers", "blue"} {
		p := plan(t, printed()[name])
		for _, r := range rules {
			if err := r.holds(p); err != nil {
				t.Errorf("%s: %s %s (%s): %v", name, r.finding, r.says, r.source, err)
			}
		}
	}
	for _, s := range sentences {
		text, err := os.ReadFile(root + "/" + s.file)
		if err != nil || !strings.Contains(string(text), s.says) {
			t.Errorf("%s: %s does not say %q: %v", s.finding, s.file, s.says, err)
		}
	}
}

// Each rule can fail: a script that breaks it is found.
func TestRulesOfScriptsFindMistakes(t *testing.T) {
	t.Parallel()
	good := plan(t, options())
	for _, tt := range [][2]string{
		{"roles/iam.serviceAccountTokenCreator", "roles/x"}, {"ensure account", "later account"}, {"--service=cloudfunctions", "--service=x"}, {"--no-invoker-iam-check", "--member=allUsers"},
		{"user-managed", "automatic"}, {`gcloud alpha monitoring policies "$@"`, ""}, {"--only=firestore:rules", "--only=x"}, {"service-accounts create relationindex-build", "service-accounts create a-name-of-more-than-thirty-characters"},
		{"what builds the functions'", strings.Repeat("x", 300) + "'"}, {"relationindex Feed'", strings.Repeat("x", 101) + "'"}, {"functions deploy relationindex-feed", "functions deploy " + strings.Repeat("f", 64)},
		{"--update-labels=relationindex=relationindex", "--update-labels=relationindex=" + strings.Repeat("r", 64)}, {"--timeout=540s", "--timeout=541s"}, {"--attempt-deadline=", "--attempt-deadline=99"}, {"wakes jobs whose", strings.Repeat("w", 500)},
		{"--cpu=0.167 --concurrency=1", "--cpu=0.167 --concurrency=2"}, {"--concurrency=400", "--concurrency=1001"}, {"--memory=256Mi", "--memory=64Mi"}, {"=GOOGLE_CLOUD_PROJECT", "=PORT=1,GOOGLE_CLOUD_PROJECT"},
		{"--trigger-location=nam5", "--trigger-location=us-central1"}, {" --retry", ""}, {",title=relationindex", ",title=" + strings.Repeat("t", 101)}, {"deployed by relationindex as relationindex: ", strings.Repeat("m", 8001)},
	} {
		spoiled := *good
		if spoiled.Script = strings.ReplaceAll(good.Script, tt[0], tt[1]); spoiled.Script == good.Script {
			t.Errorf("there is no %q", tt[0])
		}
		found := false
		for _, r := range rules {
			found = found || r.holds(&spoiled) != nil
		}
		if !found {
			t.Errorf("no rule finds %.60q in place of %q", tt[1], tt[0])
		}
	}
}
