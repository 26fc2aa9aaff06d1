package deploy_test

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/functions/triggers"
)

func TestFirstDeploymentCreatesEverything(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.Config.CopiedFields = []string{"text", "a|b"}
	o.Notify = []string{"projects/p/notificationChannels/7"}
	began := time.Now().Truncate(time.Second)
	s.deployed(t, o)

	environment := object{"GOMEMLIMIT": "460MiB", "GOOGLE_CLOUD_PROJECT": "p", "RELATIONINDEX_COPIED_FIELDS": "text,a|b"}
	marks := func(function object) []any {
		labels := function["labels"].(object)
		return []any{labels["relationindex"], labels["relationindex-source"], len(fmt.Sprint(labels["relationindex-flags"]))}
	}
	event := s.resource(t, "cloudfunctions", "relationindex-on-follower-written")
	deployed, _ := event["serviceConfig"].(object)["environmentVariables"].(object)["RELATIONINDEX_DEPLOYED"].(string)
	if at, err := time.Parse(time.RFC3339, deployed); err != nil || at.Before(began) || at.After(time.Now()) {
		t.Errorf("it says that it was deployed at %q, %v", deployed, err)
	}
	environment["RELATIONINDEX_DEPLOYED"] = deployed
	want := object{
		"eventTrigger": object{
			"eventType": "google.cloud.firestore.document.v1.written",
			"eventFilters": []any{
				object{"attribute": "database", "value": "(default)"},
				object{"attribute": "document", "value": "users/{userId}/followers/{followerId}", "operator": "match-path-pattern"},
			},
			"retryPolicy": "RETRY_POLICY_RETRY", "triggerRegion": "nam5",
			"serviceAccountEmail": "relationindex-triggers@p.iam.gserviceaccount.com",
		},
		"serviceConfig": object{
			"availableCpu": "1", "availableMemory": "512Mi", "environmentVariables": environment, "maxInstanceCount": 10., "minInstanceCount": 0.,
			"secretEnvironmentVariables":    []any{object{"key": "RELATIONINDEX_TOMBSTONE_KEY", "projectId": "123", "secret": secret, "version": "1"}},
			"maxInstanceRequestConcurrency": 400., "serviceAccountEmail": "relationindex-functions@p.iam.gserviceaccount.com", "timeoutSeconds": 60.,
			"service": "projects/p/locations/us-central1/services/relationindex-on-follower-written", "uri": "https://relationindex-on-follower-written-abc-uc.a.run.app",
		},
	}
	if diff := cmp.Diff(want, object{"eventTrigger": event["eventTrigger"], "serviceConfig": event["serviceConfig"]}); diff != "" {
		t.Errorf("the event function (-want +got):\n%s", diff)
	}
	build := event["buildConfig"].(object)
	if build["entryPoint"] != "OnFollowerWritten" || build["runtime"] != "go126" || build["serviceAccount"] != "projects/p/serviceAccounts/relationindex-build@p.iam.gserviceaccount.com" {
		t.Errorf("it is built from %v", build)
	}
	if diff := cmp.Diff([]any{"relationindex", s.machine.SourceDigest, 32}, marks(event)); diff != "" {
		t.Errorf("its labels (-want +got):\n%s", diff)
	}

	feed := s.resource(t, "cloudfunctions", "relationindex-feed")
	config := feed["serviceConfig"].(object)
	if feed["eventTrigger"] != nil || config["serviceAccountEmail"] != "relationindex-feed@p.iam.gserviceaccount.com" || config["maxInstanceRequestConcurrency"] != 40. {
		t.Errorf("Feed is %v", feed)
	}

	job := s.resource(t, "cloudscheduler", "relationindex-sweep")
	target := job["httpTarget"].(object)
	const sweep = "https://relationindex-sweep-abc-uc.a.run.app"
	if job["schedule"] != "* * * * *" || target["uri"] != sweep || target["httpMethod"] != "POST" ||
		!cmp.Equal(target["oidcToken"], object{"audience": sweep, "serviceAccountEmail": "relationindex-triggers@p.iam.gserviceaccount.com"}) {
		t.Errorf("the scheduler's job is %v", job)
	}
	alert := s.resource(t, "monitoring", "1")
	if alert["displayName"] != "relationindex: failed" || !cmp.Equal(alert["notificationChannels"], []any{"projects/p/notificationChannels/7"}) {
		t.Errorf("the alert policy is %v", alert)
	}
	if metric := s.resource(t, "logging", "relationindex/runs"); metric["filter"] != `resource.labels.service_name=~"^relationindex-"` {
		t.Errorf("the metric is %v", metric)
	}
	if got := len(s.firebase); got != 4 { // its version, its sign-in, indexes, rules
		t.Errorf("firebase-tools ran %d times: %v", got, s.firebase)
	}
}

// roles are the roles that somebody has, and on what.
func (s *system) roles() []string {
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	var out []string
	for of, policy := range s.policies {
		bindings, _ := policy["bindings"].([]any)
		for _, b := range bindings {
			on := ""
			if condition, ok := b.(object)["condition"].(object); ok {
				on = fmt.Sprint(" if ", condition["expression"])
			}
			for _, member := range b.(object)["members"].([]any) {
				out = append(out, fmt.Sprintf("%s: %s %s%s", path.Base(of), b.(object)["role"], member, on))
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestSecondDeploymentChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.Source = os.DirFS(root) // with what really watches
	s.deployed(t, o)
	s.changes()
	for _, told := range s.deployed(t, o) {
		if !strings.HasPrefix(told, "unchanged: ") && !strings.HasPrefix(told, "done: ") {
			t.Errorf("the second time %s", told)
		}
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("the second deployment sends %v", changes)
	}
}

// Two systems in one project, on a database each: every trigger, the rules and the variables are of one of the databases,
// and neither deployment finds anything to do for the other's.
func TestTwoDatabasesOfOneProject(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	blue := options()
	blue.Name, blue.Config.Database = "blue", "blue"
	s.deployed(t, options())
	rules, names := s.rules[live], s.names()
	s.deployed(t, blue)

	for _, trigger := range triggers.Events(options().Config) {
		name := trigger.Name
		for deployment, database := range map[string]string{"relationindex": "(default)", "blue": "blue"} {
			function := s.resource(t, "cloudfunctions", deployment+dashed(name))
			filters := function["eventTrigger"].(object)["eventFilters"].([]any)
			if diff := cmp.Diff(any(object{"attribute": "database", "value": database}), filters[0]); diff != "" {
				t.Errorf("the trigger of %s (-want +got):\n%s", function["name"], diff)
			}
			variables := function["serviceConfig"].(object)["environmentVariables"].(object)
			if got, _ := variables["RELATIONINDEX_DATABASE"].(string); stdcmp.Or(got, "(default)") != database {
				t.Errorf("%s works on %q", function["name"], got)
			}
		}
	}
	if first, _, _ := strings.Cut(s.rules[live+"/blue"], "\n"); s.rules[live] != rules || !strings.Contains(first, "as blue_blue: ") {
		t.Errorf("the rules of blue begin with %q; those of (default) have changed: %t", first, s.rules[live] != rules)
	}
	if got := slices.DeleteFunc(s.names(), func(name string) bool { return slices.Contains(names, name) }); len(got) < 12 || len(s.names()) != 2*len(names) {
		t.Errorf("the second system adds %v", got)
	}
	s.changes()
	s.deployed(t, options())
	s.deployed(t, blue)
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("deployed again, they send %v", changes)
	}

	// Nor does a system of another name join blue on its database.
	third := options()
	third.Name, third.Config.Database, third.RulesFile = "third", "blue", deploy.KeepRules
	s.firebase = nil
	if failures := s.refused(t, third); len(failures) != 1 || failures[0].Problem != "the database blue has functions that were deployed as blue_blue" {
		t.Errorf("it says %v", failures)
	}

	// A shell without the variable does not move blue to (default).
	blue.Config.Database, blue.RulesFile = "", deploy.KeepRules
	err := s.machine.Deploy(t.Context(), plan(t, blue))
	if err == nil || !strings.Contains(err.Error(), "the database (default) has functions that were deployed as relationindex") || len(s.changes()) > 0 {
		t.Errorf("it says %v", err)
	}
}

// dashed is the end of a function's name in a deployment: -on-post-written.
func dashed(name string) string {
	return strings.ToLower(regexp.MustCompile("[A-Z]").ReplaceAllString(name, "-$0"))
}

// A deployment deploys only changed parts.
func TestDeploymentUpdatesOnlyChangedParts(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	s.deployed(t, o)
	updated := func() []string {
		var out []string
		for _, told := range s.deployed(t, o) {
			if title, ok := strings.CutPrefix(told, "updated: "); ok {
				out = append(out, title)
			} else if strings.HasPrefix(told, "created: ") {
				t.Error(told)
			}
		}
		return out
	}
	allFunctions := []string{
		"function relationindex-on-follower-written", "function relationindex-on-post-written", "function relationindex-on-job-written",
		"function relationindex-on-user-deleted", "function relationindex-on-block-written", "function relationindex-sweep", "function relationindex-feed",
	}

	s.machine.SourceDigest = strings.Repeat("f", 32)
	if diff := cmp.Diff(allFunctions, updated()); diff != "" {
		t.Errorf("after a change of the code (-want +got):\n%s", diff)
	}
	s.resource(t, "cloudfunctions", "relationindex-feed")["state"] = "FAILED"
	if diff := cmp.Diff([]string{"function relationindex-feed"}, updated()); diff != "" {
		t.Errorf("with one that failed (-want +got):\n%s", diff)
	}
	s.resource(t, "cloudfunctions", "relationindex-feed")["state"] = "ACTIVE" // which a real update makes it

	files := maps.Clone(watched)
	for name, file := range files {
		copied := *file
		if strings.Contains(name, "metrics") {
			copied.Data = []byte(strings.Replace(string(file.Data), `"runs"`, `"runs anew"`, 1))
		}
		if strings.Contains(name, "alerts") {
			copied.Data = []byte(strings.Replace(string(file.Data), "60s", "90s", 1))
		}
		if strings.Contains(name, "dashboard") {
			copied.Data = []byte(strings.Replace(string(file.Data), "DEPLOYMENT", "DEPLOYMENT anew", 1))
		}
		files[name] = &copied
	}
	o.Source = files
	if diff := cmp.Diff([]string{"log-based metric relationindex/runs", "alert policy failed", "dashboard dashboard"}, updated()); diff != "" {
		t.Errorf("after a change of what watches (-want +got):\n%s", diff)
	}
	if again := updated(); len(again) > 0 {
		t.Errorf("once more it updates %v", again)
	}
}

// A deployment is rejected at each of its changes, one after another. Each run continues
// where the last one stopped, and everything is created once.
func TestPartialDeploymentResumes(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.NoFeed = true
	let := 0 // changes that go through
	made := map[string]int{}
	s.refuse = func(string, string) string {
		if let == 0 {
			return "no more for now"
		}
		let--
		return ""
	}
	for runs := 1; ; runs++ {
		let = 2
		err := s.machine.Deploy(t.Context(), plan(t, o))
		for _, c := range s.changes() {
			if !strings.HasPrefix(c, "POST policy projects/p") || strings.Contains(c, "services") { // the project's policy is changed by each role
				made[c]++
			}
		}
		if err == nil {
			t.Logf("%d runs", runs)
			break
		}
		if !strings.Contains(err.Error(), "no more for now") || runs > 30 {
			t.Fatalf("run %d: %v", runs, err)
		}
	}
	for change, times := range made {
		switch change {
		case "POST projects/p/locations/us-central1/functions":
			times -= 5 // the others
		case "POST projects/p/serviceAccounts":
			times -= 2
		}
		if times != 1 {
			t.Errorf("%s: %d times too often", change, times-1)
		}
	}
	s.refuse = nil
	s.deployed(t, o)
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("after the last it sends %v", changes)
	}
}

// New accounts and service agents take minutes to become known everywhere.
func TestDeploymentWaitsForPropagation(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	early, late := 2, 1
	s.refuse = func(_, resource string) string {
		if early > 0 && strings.HasSuffix(resource, "/functions") {
			early--
			return "Validation failed for trigger: Permission denied while using the Eventarc Service Agent. If you recently started to use Eventarc, it may take a few minutes"
		}
		if late > 0 && strings.HasSuffix(resource, "/alertPolicies") {
			late--
			return `Cannot find metric(s) that match type = "logging.googleapis.com/user/relationindex/runs". If a metric was created recently, it could take up to 10 minutes to become available.`
		}
		return ""
	}
	s.deployed(t, options())
	if len(s.waited) != 3 {
		t.Errorf("it waits %v, want three times", s.waited)
	}
	s.refuse = func(string, string) string { return "Service account x does not exist." }
	o := options()
	o.Name, o.Config.Database, o.RulesFile = "blue", "blue", deploy.KeepRules
	if err := s.machine.Deploy(t.Context(), plan(t, o)); err == nil || len(s.waited) != 3+20 {
		t.Errorf("it waits for what never comes %d times, and says %v", len(s.waited)-3, err)
	}
}

func TestInterruptedDeploymentStops(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	ctx, cancel := context.WithCancel(t.Context())
	run := s.machine.Run
	s.machine.Run = func(ctx context.Context, args []string) (string, error) {
		if slices.Contains(args, "create") {
			cancel()
		}
		if err := ctx.Err(); err != nil {
			return "", err
		}
		return run(ctx, args)
	}
	if err := s.machine.Deploy(ctx, plan(t, options())); err == nil || len(s.changes()) > 0 {
		t.Errorf("it ends with %v", err)
	}
}
