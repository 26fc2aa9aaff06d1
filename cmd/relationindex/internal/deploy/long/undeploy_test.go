package deploy_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

func removal(t *testing.T, o deploy.Options, indexes bool) *deploy.Plan {
	t.Helper()
	p, err := deploy.Removal(o, indexes)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Beside another deployment and foreign resources, undeploy removes only its own deployment.
func TestUndeployRemovesItsDeployment(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	other := options()
	other.Name, other.Config.Database, other.Source = "blue", "blue", nothing
	other.RulesFile = deploy.KeepRules
	s.deployed(t, options())
	before := s.names()
	roles := s.roles()
	s.deployed(t, other)
	with := options()
	with.Config.AuthorFields = []string{"name=authorName"}
	s.deployed(t, with) // a function that the configuration of undeploy does not need
	s.changes()

	if err := s.machine.Undeploy(t.Context(), removal(t, other, false)); err != nil {
		t.Fatal(err)
	}
	if changes := s.changes(); !strings.Contains(changes[0], "DELETE projects/p/locations/us-central1/functions/blue-") {
		t.Errorf("it begins with %s, want functions first", changes[0])
	}
	left := slices.DeleteFunc(s.names(), func(name string) bool { return strings.HasSuffix(name, "on-user-written") })
	if diff := cmp.Diff(before, left); diff != "" {
		t.Errorf("after blue is gone (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(roles, withoutServices(s.roles(), "blue-", "relationindex-on-user-written")); diff != "" {
		t.Errorf("roles after blue is gone (-before +after):\n%s", diff)
	}

	if err := s.machine.Undeploy(t.Context(), removal(t, options(), true)); err != nil {
		t.Fatal(err)
	}
	if left := s.names(); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	s.changes()
	if err := s.machine.Undeploy(t.Context(), removal(t, options(), false)); err != nil {
		t.Fatal(err)
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("the second time it sends %v", changes)
	}
}

// Nothing marks an index: those of a database go only with functions that were deployed for it.
func TestUndeployOfAnotherDatabasesIndexes(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	blue := options()
	blue.Name, blue.Config.Database = "blue", "blue"
	s.deployed(t, blue)
	for _, database := range []string{"(default)", "blue"} {
		name := "projects/p/databases/" + database + "/collectionGroups/_relations/indexes/1"
		s.resources["firestore/"+name] = object{"name": name}
	}
	s.changes()
	forgotten, gone := blue, options()
	forgotten.Config.Database = ""
	gone.Name = "gone"
	for name, tt := range map[string]struct {
		o       deploy.Options
		indexes bool
		says    []string
	}{
		"a shell without the variable":              {forgotten, true, []string{`blue-sweep was deployed as "blue_blue", but this command removes only functions deployed as "blue"`, "set RELATIONINDEX_DATABASE"}},
		"a shell without the variable, not indexes": {forgotten, false, []string{`deployed as "blue_blue", but this command removes only functions deployed as "blue"`}},
		"a deployment that is gone":                 {gone, true, []string{`no function was deployed as "gone"`, "so the indexes of the database (default) may belong to something else", "undeploy --indexes --dry-run prints"}},
	} {
		err := s.machine.Undeploy(t.Context(), removal(t, tt.o, tt.indexes))
		for _, want := range tt.says {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q in it", name, err, want)
			}
		}
		if changes := s.changes(); len(changes) > 0 {
			t.Fatalf("%s: it sends %v", name, changes)
		}
	}
	if err := s.machine.Undeploy(t.Context(), removal(t, blue, true)); err != nil {
		t.Fatal(err)
	}
	if changes := strings.Join(s.changes(), "\n"); !strings.Contains(changes, "databases/blue/collectionGroups/_relations/indexes/1") || strings.Contains(changes, "(default)") {
		t.Errorf("it sends %s", changes)
	}

	o := options()
	o.ConfigErr = errors.New("RELATIONINDEX_DATABASE is wrong")
	if _, err := deploy.Removal(o, false); !errors.Is(err, o.ConfigErr) {
		t.Errorf("with a wrong configuration: %v", err)
	}
}

// withoutServices are roles without those on functions, whose policies go with them.
func withoutServices(roles []string, prefixes ...string) []string {
	return slices.DeleteFunc(roles, func(role string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(role, p) })
	})
}

func TestUndeployKeepsForeignResources(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.foreign()
	before := s.names()
	err := s.machine.Undeploy(t.Context(), removal(t, options(), true))
	if err == nil || !strings.Contains(err.Error(), `relationindex-feed was deployed as ""`) {
		t.Errorf("with nothing of ours it says %v", err)
	}
	const ours = "projects/p/locations/us-central1/functions/relationindex-on-post-written"
	s.resources["cloudfunctions/"+ours] = object{"name": ours, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"relationindex": "relationindex"}}
	if err := s.machine.Undeploy(t.Context(), removal(t, options(), false)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.names()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if changes := s.changes(); !cmp.Equal(changes, []string{"DELETE " + ours}) {
		t.Errorf("it sends %v", changes)
	}
}

// foreign puts things of somebody else's where ours would be.
func (s *system) foreign() {
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	const account = "relationindex-feed@p.iam.gserviceaccount.com"
	s.resources["iam/projects/p/serviceAccounts/"+account] = object{"name": "projects/p/serviceAccounts/" + account, "email": account, "description": "mine"}
	s.policies["cloudresourcemanager/projects/p"] = object{"etag": "BwXw", "bindings": []any{object{"role": "roles/datastore.viewer", "members": []any{"serviceAccount:" + account}}}}
	const place = "projects/p/locations/us-central1/"
	s.resources["cloudfunctions/"+place+"functions/relationindex-sweep"] = object{"name": place + "functions/relationindex-sweep", "state": "ACTIVE", "environment": "GEN_2", "labels": object{"deployment-tool": "cli-gcloud"}}
	s.resources["cloudfunctions/"+place+"functions/relationindex-feed"] = object{"name": place + "functions/relationindex-feed", "state": "ACTIVE", "environment": "GEN_1"}
	s.resources["cloudscheduler/"+place+"jobs/relationindex-sweep"] = object{"name": place + "jobs/relationindex-sweep", "description": "deployed by relationindex as relationindex-2: …"}
	s.resources["logging/projects/p/metrics/relationindex/runs"] = object{"name": "relationindex/runs", "description": "mine", "filter": "x"}
	s.resources["monitoring/projects/p/alertPolicies/9"] = object{"name": "projects/p/alertPolicies/9", "displayName": "relationindex: failed"}
	s.resources["firestore/projects/p/databases/(default)/collectionGroups/mine/indexes/1"] = object{"name": "projects/p/databases/(default)/collectionGroups/mine/indexes/1"}
}

// state is everything that the cloud has, and who may do what, as JSON by name.
func (s *system) state(t *testing.T) map[string]string {
	t.Helper()
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	out := map[string]string{}
	for key, resource := range s.resources {
		text, err := json.Marshal(resource)
		if err != nil {
			t.Fatal(err)
		}
		out[key] = string(text)
	}
	for release, text := range s.rules {
		out["rules "+release] = text
	}
	return out
}

// One project has three deployments, whose names contain each other. One is
// created, created again and removed. The others do not change.
func TestDeploymentLeavesOtherDeploymentsUnchanged(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	s.resources["firestore/projects/p/databases/sea"] = object{"name": "projects/p/databases/sea", "type": "FIRESTORE_NATIVE", "locationId": "nam5"}
	for name, database := range map[string]string{"blue-2": "blue", "dark-blue": "sea"} {
		o := options()
		o.Name, o.Config.Database = name, database
		s.deployed(t, o)
	}
	before, roles := s.state(t), s.roles()
	want := func(when string) {
		t.Helper()
		after := s.state(t)
		for key, was := range before {
			if after[key] != was {
				t.Errorf("%s, %s is %q, and was %q", when, key, after[key], was)
			}
		}
		if diff := cmp.Diff(roles, withoutServices(slices.DeleteFunc(s.roles(), func(role string) bool { return strings.Contains(role, ":blue-") && !strings.Contains(role, ":blue-2-") }), "blue-on-", "blue-sweep", "blue-feed")); diff != "" {
			t.Errorf("%s, roles (-before +after):\n%s", when, diff)
		}
	}
	blue := options()
	blue.Name = "blue"
	for _, told := range s.deployed(t, blue) {
		if !strings.HasPrefix(told, "created: ") && !strings.HasPrefix(told, "done: ") && !strings.HasPrefix(told, "unchanged: ") {
			t.Errorf("the first time: %s", told)
		}
	}
	want("after blue was made")
	s.machine.SourceDigest = strings.Repeat("f", 32)
	blue.NoFeed = true
	s.deployed(t, blue)
	want("after blue was made anew")
	if err := s.machine.Undeploy(t.Context(), removal(t, blue, true)); err != nil {
		t.Fatal(err)
	}
	want("after blue was removed")
	for _, name := range s.names() {
		if strings.Contains(name, " blue-") && !strings.Contains(name, " blue-2-") {
			t.Errorf("%s is left", name)
		}
	}
}

// Indexes belong to the database: they stay while another deployment has functions on it.
// The resources of this deployment alone are deleted.
func TestUndeployKeepsIndexesOfSharedDatabase(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.NoFeed, o.Source = true, nothing
	s.deployed(t, o)
	const index = "projects/p/databases/(default)/collectionGroups/_relations/indexes/1"
	s.resources["firestore/"+index] = object{"name": index}
	const other = "projects/p/locations/us-central1/functions/other-on-post-written"
	s.resources["cloudfunctions/"+other] = object{
		"name": other, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"relationindex": "other"},
		"eventTrigger": object{"eventFilters": []any{object{"attribute": "database", "value": "(default)"}}},
	}
	s.changes()
	err := s.machine.Undeploy(t.Context(), removal(t, o, true))
	if err == nil || !strings.Contains(err.Error(), "the database (default) has functions that were deployed as other") || !strings.Contains(err.Error(), "without --indexes") {
		t.Errorf("it says %v", err)
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Fatalf("it sends %v", changes)
	}
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"cloudfunctions other-on-post-written"}, s.names()); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if s.resource(t, "firestore", "_relations/indexes/1") == nil {
		t.Error("the index is gone")
	}
}
