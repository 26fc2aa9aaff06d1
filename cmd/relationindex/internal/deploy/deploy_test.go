//go:build long

package deploy_test

import (
	stdcmp "cmp"
	"context"
	"encoding/base64"
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
	"example.com/relationindex/schema"
)

// began is when this process did.
var began = time.Now().Truncate(time.Second)

func TestFirstDeploymentCreatesEverything(t *testing.T) {
	t.Parallel()
	s, _ := installed(t, one)
	environment := object{"GOMEMLIMIT": "460MiB", "GOOGLE_CLOUD_PROJECT": "p", "RELATIONINDEX_COPIED_FIELDS": "text,a|b"}
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
	labels := event["labels"].(object)
	if labels["relationindex"] != "relationindex" || labels["relationindex-source"] != s.machine.SourceDigest || len(fmt.Sprint(labels["relationindex-flags"])) != 32 {
		t.Errorf("its labels are %v", labels)
	}
	feed := s.resource(t, "cloudfunctions", "relationindex-feed")
	config := feed["serviceConfig"].(object)
	if feed["eventTrigger"] != nil || config["serviceAccountEmail"] != "relationindex-feed@p.iam.gserviceaccount.com" || config["maxInstanceRequestConcurrency"] != 40. {
		t.Errorf("Feed is %v", feed)
	}
	if got := s.open(); !cmp.Equal(got, []string{"relationindex-feed"}) {
		t.Errorf("open to everybody are %q", got)
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
	if secret := s.resource(t, "secretmanager", secret); fmt.Sprint(secret["replication"]) != "map[userManaged:map[replicas:[map[location:us-central1]]]]" {
		t.Errorf("the secret is %v: where only one region is allowed, another replication is refused", secret)
	}
	if (schema.Config{Project: "p", TombstoneKey: s.keyOf(t)}).Validate() != nil {
		t.Error("the key is not one")
	}
	const account, on = " serviceAccount:relationindex-", ` if resource.name=="projects/p/databases/(default)"`
	roles := []string{
		"p: projects/p/roles/relationindexFeed" + account + "feed@p.iam.gserviceaccount.com",
		"p: roles/cloudbuild.builds.builder" + account + "build@p.iam.gserviceaccount.com",
		"p: roles/datastore.user" + account + "functions@p.iam.gserviceaccount.com" + on,
		"p: roles/datastore.viewer" + account + "feed@p.iam.gserviceaccount.com" + on,
		"p: roles/eventarc.eventReceiver" + account + "triggers@p.iam.gserviceaccount.com",
		"p: roles/iam.serviceAccountTokenCreator serviceAccount:service-123@gcp-sa-pubsub.iam.gserviceaccount.com",
	}
	if diff := cmp.Diff(roles, s.projectRoles()); diff != "" {
		t.Errorf("roles in the project (-want +got):\n%s", diff)
	}
	role := s.resource(t, "iam", "relationindexFeed")
	if diff := cmp.Diff(any([]any{"firebaseauth.users.get"}), role["includedPermissions"]); diff != "" || role["stage"] != "GA" {
		t.Errorf("the role is %v", role)
	}
}

// A deployment changes only what has changed, and removes what its configuration does not need any more.
func TestDeploymentUpdatesOnlyChangedParts(t *testing.T) {
	t.Parallel()
	s, o := installed(t, one)
	differs := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, s.deployed(t, o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
		s.changes()
		if got := s.deployed(t, o); len(got) > 0 || len(s.changes()) > 0 {
			t.Errorf("%s, once more: %q", what, got)
		}
	}
	differs("the same")
	s.machine.SourceDigest = strings.Repeat("f", 32)
	var functions []string
	for _, name := range []string{"on-follower-written", "on-post-written", "on-job-written", "on-user-deleted", "on-block-written", "sweep", "feed"} {
		functions = append(functions, "updated: function relationindex-"+name)
	}
	differs("with other code", functions...)

	s.resource(t, "cloudfunctions", "relationindex-sweep")["state"] = "FAILED"
	if got := s.deployed(t, o); !cmp.Equal(got, []string{"updated: function relationindex-sweep"}) {
		t.Errorf("with one that failed: %q", got)
	}
	s.resource(t, "cloudfunctions", "relationindex-sweep")["state"] = "ACTIVE" // which a real update makes it

	files := maps.Clone(watched)
	for name, file := range files {
		copied := *file
		copied.Data = []byte(strings.NewReplacer(`"runs"`, `"runs anew"`, "60s", "90s", `"DEPLOYMENT"`, `"DEPLOYMENT anew"`).Replace(string(file.Data)))
		files[name] = &copied
	}
	o.Source = files
	differs("with other files", "updated: metric relationindex/runs", "updated: policy failed", "updated: dashboard dashboard")
	o.Config.AuthorFields = []string{"name=authorName"}
	differs("with a trigger more", "updated: function relationindex-on-follower-written", "updated: function relationindex-on-post-written", "updated: function relationindex-on-job-written",
		"updated: function relationindex-on-user-deleted", "updated: function relationindex-on-block-written", "created: function relationindex-on-user-written",
		"done: add roles/run.invoker for serviceAccount:relationindex-triggers@p.iam.gserviceaccount.com on relationindex-on-user-written", "updated: function relationindex-sweep", "updated: function relationindex-feed")
	o.Config.AuthorFields = nil
	if got := s.deployed(t, o); !slices.Contains(got, "removed: function relationindex-on-user-written") {
		t.Errorf("without that trigger: %q", got)
	}
	o.NoFeed = true
	s.deployed(t, o)
	if left := slices.DeleteFunc(slices.Concat(s.names(), s.projectRoles()), func(name string) bool { return !strings.Contains(name, "-feed") }); len(left) > 0 {
		t.Errorf("without Feed it leaves %q", left)
	}
	o.MaxInstances = 4
	s.deployed(t, o)
	if n := s.resource(t, "cloudfunctions", "relationindex-on-job-written")["serviceConfig"].(object)["maxInstanceCount"]; n != 4. {
		t.Errorf("with at most 4 instances it has %v", n)
	}
}

// Two systems in one project, on a database each: every trigger, role, rule and variable is of one of the databases,
// and neither deployment finds anything to do for the other's, nor removes any of it.
func TestDeploymentsOnTwoDatabases(t *testing.T) {
	t.Parallel()
	alone, _ := installed(t, one)
	rules, names := alone.rules[live], alone.names()
	s, o := installed(t, two)
	blue := blue()
	for _, trigger := range triggers.Events(o.Config) {
		for deployment, database := range map[string]string{"relationindex": "(default)", "blue": "blue"} {
			function := s.resource(t, "cloudfunctions", deployment+dashed(trigger.Name))
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
	if s.rules[live] != rules || s.rules[live+"/blue"] != rules {
		t.Error("the rules of the two differ, or those of the first have changed")
	}
	for _, role := range s.projectRoles() {
		if strings.Contains(role, "roles/datastore.") && strings.Contains(role, ":blue-") != strings.HasSuffix(role, `databases/blue"`) {
			t.Errorf("a role is of another database: %s", role)
		}
	}
	if got := slices.DeleteFunc(s.names(), func(name string) bool { return slices.Contains(names, name) }); len(got) < 12 || len(s.names()) != 2*len(names) {
		t.Errorf("the second system adds %v", got)
	}
	s.changes()
	if got := slices.Concat(s.deployed(t, o), s.deployed(t, blue)); len(got) > 0 || len(s.changes()) > 0 {
		t.Errorf("deployed again, they do %q", got)
	}

	// Nor does a system of another name join blue on its database.
	third := small()
	third.Name, third.Config.Database, third.RulesKind = "third", "blue", deploy.KeepRules
	if failures := s.refused(t, third); len(failures) != 1 || failures[0].Problem != "the database blue has functions that were deployed as blue_blue" {
		t.Errorf("it says %v", failures)
	}
	// A shell without the variable neither moves blue to (default), nor removes any of it.
	forgotten := blue
	forgotten.Config.Database, forgotten.RulesKind = "", deploy.KeepRules
	if failures := s.refused(t, forgotten); !strings.Contains(failures.Error(), "the database (default) has functions that were deployed as relationindex") {
		t.Errorf("it says %v", failures)
	}
	if out, err := s.run(t, removal(t, forgotten)); err == nil || len(s.changes()) > 0 || !strings.Contains(out, "Nothing in us-central1 was deployed as blue.") {
		t.Errorf("undeploy says %v: %s", err, out)
	}
	// Nor one with another region, which would take the accounts of what runs elsewhere.
	moved := blue
	moved.Region = "us-east4"
	for _, p := range []*deploy.Plan{plan(t, moved), removal(t, moved)} {
		if _, err := s.run(t, p); err == nil || !strings.Contains(err.Error(), "it has functions in us-central1") || len(s.changes()) > 0 {
			t.Errorf("with another region it says %v", err)
		}
	}

	// Undeployed, it leaves the first as it was, and an app's function.
	const own = "projects/p/locations/us-central1/functions/charge" // which has our label, to share a bill
	s.resources["cloudfunctions/"+own] = object{"name": own, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"deployment-tool": "cli-firebase", "relationindex": "blue_blue"}}
	told := s.done(t, removal(t, blue))
	if !strings.HasPrefix(told[0], "removed: function blue-") {
		t.Errorf("it begins with %s, want functions first", told[0])
	}
	if diff := cmp.Diff(names, slices.DeleteFunc(s.names(), func(name string) bool { return strings.HasSuffix(name, "charge") })); diff != "" {
		t.Errorf("after blue is gone (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(alone.projectRoles(), s.projectRoles()); diff != "" {
		t.Errorf("roles after blue is gone (-before +after):\n%s", diff)
	}
	key := s.keyOf(t)
	s.done(t, removal(t, o))
	if diff := cmp.Diff([]string{"cloudfunctions charge", "roles/iam.serviceAccountTokenCreator"}, append(s.names(), strings.Fields(strings.Join(s.projectRoles(), " "))[1])); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if roles := s.roles(); slices.ContainsFunc(roles, func(r string) bool { return strings.HasPrefix(r, secret) }) {
		t.Errorf("it leaves roles on the secret: %v", roles)
	}
	s.changes()
	if _, err := s.run(t, removal(t, o)); err == nil || len(s.changes()) > 0 {
		t.Errorf("the second time it says %v", err)
	}
	// The next deployment on this database has the key again.
	s.deployed(t, o)
	if s.keyOf(t) != key {
		t.Error("the key is another")
	}
}

// phases are those of a deployment, by what is there after each. A deployment that stops anywhere leaves what runs running: clients
// write by the rules only when functions and Sweep hear them, and a stop at what only tells people leaves everything else.
func TestStopAfterEachPhaseLeavesWhatRuns(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := small()
	let := 0 // changes that go through
	refuse := func() string {
		if let == 0 {
			return "no more for now"
		}
		let--
		return ""
	}
	s.refuse, s.broken = func(string, string) string { return refuse() }, refuse
	made := map[string]int{}
	for runs := 1; ; runs++ {
		let = 1
		out, err := s.run(t, plan(t, o))
		for _, c := range s.changes() {
			if !strings.HasPrefix(c, "POST policy") {
				made[c]++
			}
		}
		events, sweeps := len(s.list("cloudfunctions", "projects/p/locations/us-central1/functions")), len(s.list("cloudscheduler", "projects/p/locations/us-central1/jobs"))
		if s.rules[live] != "" && (events < 7 || sweeps < 1) {
			t.Fatalf("clients write, and there are %d functions and %d schedules", events, sweeps)
		}
		if events > 0 && (s.indexes == "" || len(s.list("secretmanager", "projects/p/secrets/"+secret+"/versions")) == 0) {
			t.Fatal("there are functions before indexes and their key")
		}
		if len(s.open()) > 0 && s.rules[live] == "" || len(s.list("monitoring", "projects/p/alertPolicies")) > 0 && len(s.open()) == 0 {
			t.Fatal("Feed is open before rules, or alerts are there before it")
		}
		if err == nil {
			t.Logf("%d runs", runs)
			break
		}
		if !strings.Contains(out, "no more for now") || !strings.Contains(out, "Run this again: it goes on here.") || runs > 60 {
			t.Fatalf("run %d: %v\n%s", runs, err, out)
		}
	}
	for change, times := range made {
		if want := map[string]int{"POST projects/p/locations/us-central1/functions": 7, "POST projects/p/serviceAccounts": 4}[change]; times != max(1, want) {
			t.Errorf("%s: %d times", change, times)
		}
	}
	s.refuse, s.broken = nil, nil
	if got := s.deployed(t, o); len(got) > 0 || len(s.changes()) > 0 {
		t.Errorf("after the last it does %q", got)
	}
}

// New accounts, roles and service agents take minutes to become known everywhere, and Google refuses what comes too fast.
func TestDeploymentWaits(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	early := map[string][]string{}
	for kind, text := range map[string]string{
		"serviceAccounts": "There were concurrent policy changes. Please retry the whole read-modify-write with exponential backoff.",
		"functions": "Validation failed for trigger: Permission denied while using the Eventarc Service Agent. If you recently started to use Eventarc, it may take a few minutes\n" +
			"Could not build the function due to a missing permission on the build service account. If you didn't revoke that permission explicitly, this could be caused by a change in the organization policies.\n" +
			"Unable to retrieve the repository metadata for projects/p/locations/us-central1/repositories/gcf-artifacts.\n" +
			"Permission denied on secret: projects/123/secrets/keys/versions/1 for Revision service account relationindex-functions@p.iam.gserviceaccount.com.",
		"alertPolicies": `Cannot find metric(s) that match type = "logging.googleapis.com/user/relationindex/runs". If a metric was created recently, it could take up to 10 minutes to become available.`,
		"firebase":      "Error: Request to https://firestore.googleapis.com had HTTP Error: 409, too much contention on these datastore entities. please try again\nError: HTTP Error: 503, The service is currently unavailable.",
	} {
		early[kind] = strings.Split(text, "\n")
	}
	all := 0
	next := func(kind string) string {
		if len(early[kind]) == 0 {
			return ""
		}
		said := early[kind][0]
		early[kind] = early[kind][1:]
		all++
		return said
	}
	s.refuse = func(_, resource string) string { return next(path.Base(resource)) }
	s.broken = func() string { return next("firebase") }
	s.deployed(t, small())
	if waits := strings.Count(s.out.String(), "not yet, "); waits != 8 || all != 8 {
		t.Errorf("it waits %d times for %d: %s", waits, all, s.out)
	}
	s.refuse = func(string, string) string { return "Service account x does not exist." }
	blue := blue()
	blue.RulesKind = deploy.KeepRules
	out, err := s.run(t, plan(t, blue))
	if err == nil || strings.Count(out, "not yet, ") != 20 || !strings.Contains(out, "Service account x does not exist.") {
		t.Errorf("of what never comes it says %v, %s", err, out)
	}
}

// What has our names, and is somebody else's, stops a deployment before it changes anything. A removal leaves it.
func TestForeignResourcesStay(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.foreign()
	s.policies["cloudresourcemanager/projects/p"] = object{"etag": "BwXw", "bindings": []any{object{"role": "roles/eventarc.eventReceiver", "members": []any{"serviceAccount:relationindex-feed@p.iam.gserviceaccount.com"}}}}
	before, roles := s.names(), s.projectRoles()
	out, err := s.run(t, plan(t, small()))
	if err == nil || len(s.changes()) > 0 {
		t.Errorf("it goes on: %v", err)
	}
	for _, want := range []string{"Nothing was changed", "account relationindex-feed@", "function relationindex-sweep", "function relationindex-feed", "job relationindex-sweep", "metric relationindex/runs"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not name %q: %s", want, out)
		}
	}
	const ours = "projects/p/locations/us-central1/functions/relationindex-on-post-written"
	s.resources["cloudfunctions/"+ours] = object{"name": ours, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"relationindex": "relationindex", "relationindex-source": "x", "relationindex-flags": "y"}}
	s.done(t, removal(t, small()))
	if diff := cmp.Diff(slices.Concat(before, roles), slices.Concat(s.names(), s.projectRoles())); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// What somebody makes after the first look stops the script too: nothing of theirs is overwritten.
func TestResourcesThatAppearMeanwhileStay(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	const id = "projects/p/locations/us-central1/functions/relationindex-feed"
	theirs := object{"name": id, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"relationindex": "theirs"}}
	s.refuse = func(string, string) string { // the first change is made, and this meanwhile
		s.resources["cloudfunctions/"+id] = theirs
		return ""
	}
	out, err := s.run(t, plan(t, small()))
	if err == nil || strings.Contains(out, "Nothing was changed") || !strings.Contains(out, "did not make them") || s.resource(t, "cloudfunctions", "relationindex-feed")["buildConfig"] != nil {
		t.Errorf("it goes on: %v, %s", err, out)
	}
}

// One project has two deployments, and the name of one begins and ends the name of the other. One is created and removed.
func TestNamesThatBeginAlike(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	other, one := blue(), small()
	other.Name, one.Name = "blue-2-dark-blue", "blue"
	s.deployed(t, other)
	before := s.copied()
	s.indexes = string(one.Indexes)
	s.deployed(t, one)
	s.done(t, removal(t, one))
	for key, was := range before.resources {
		if diff := cmp.Diff(was, s.resources[key]); diff != "" {
			t.Errorf("%s (-before +after):\n%s", key, diff)
		}
	}
	for _, name := range s.names() {
		if strings.Contains(name, " blue-") && !strings.Contains(name, " blue-2-") {
			t.Errorf("%s is left", name)
		}
	}
}

func TestInterruptedDeploymentStops(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.refuse = func(string, string) string { cancel(); return "no" }
	if err := s.machine.Run(ctx, plan(t, small())); err == nil || len(s.changes()) > 0 {
		t.Errorf("it ends with %v", err)
	}
}

func removal(t *testing.T, o deploy.Options) *deploy.Plan {
	t.Helper()
	p, err := deploy.Removal(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// dashed is the end of a function's name in a deployment: -on-post-written.
func dashed(name string) string {
	return strings.ToLower(regexp.MustCompile("[A-Z]").ReplaceAllString(name, "-$0"))
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

// projectRoles are the roles that accounts have in the project, but for those that Google gives its agents.
func (s *system) projectRoles() []string {
	return slices.DeleteFunc(s.roles(), func(role string) bool {
		return !strings.HasPrefix(role, "p: ") || strings.Contains(role, ".serviceAgent ")
	})
}

// secret has the key of tombstones.
const secret = "relationindex-tombstone-key-default"

// keyOf is the key of tombstones. Its secret is there, and has one version.
func (s *system) keyOf(t *testing.T) string {
	t.Helper()
	if n := len(s.list("secretmanager", "projects/p/secrets/"+secret+"/versions")); n != 1 {
		t.Errorf("the secret has %d versions", n)
	}
	payload, _ := s.resource(t, "secretmanager", secret+"/versions/1")["payload"].(object)
	data, _ := payload["data"].(string)
	key, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Error(err)
	}
	return string(key)
}

// foreign puts things of somebody else's where ours would be.
func (s *system) foreign() {
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	const account = "relationindex-feed@p.iam.gserviceaccount.com"
	s.resources["iam/projects/p/serviceAccounts/"+account] = object{"name": "projects/p/serviceAccounts/" + account, "email": account, "description": "mine"}
	const place = "projects/p/locations/us-central1/"
	s.resources["cloudfunctions/"+place+"functions/relationindex-sweep"] = object{"name": place + "functions/relationindex-sweep", "state": "ACTIVE", "environment": "GEN_2", "labels": object{"deployment-tool": "cli-gcloud"}}
	s.resources["cloudfunctions/"+place+"functions/relationindex-feed"] = object{"name": place + "functions/relationindex-feed", "state": "ACTIVE", "environment": "GEN_1"}
	s.resources["cloudscheduler/"+place+"jobs/relationindex-sweep"] = object{"name": place + "jobs/relationindex-sweep", "description": "deployed by relationindex as relationindex-2: …"}
	s.resources["logging/projects/p/metrics/relationindex/runs"] = object{"name": "relationindex/runs", "description": "mine", "filter": "x"}
	s.resources["monitoring/projects/p/alertPolicies/9"] = object{"name": "projects/p/alertPolicies/9", "displayName": "relationindex: failed"}
}

// The real folder of what is watched is taken by gcloud, and changes nothing the second time.
func TestRealFolderIsDeployed(t *testing.T) {
	t.Parallel()
	s, o := installed(t, one)
	o.Source = os.DirFS(root)
	s.deployed(t, o)
	if n := len(s.list("monitoring", "projects/p/alertPolicies")); n < 14 {
		t.Errorf("there are %d alert policies", n)
	}
	s.changes()
	if got := s.deployed(t, o); len(got) > 0 || len(s.changes()) > 0 {
		t.Errorf("once more: %q", got)
	}
}
