package deploy_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/cli/deploy"
)

// version makes a version of the secret keys the latest.
func (s *system) version(n int) {
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	s.resources["secretmanager/projects/p/secrets/keys"] = object{"name": "projects/123/secrets/keys"}
	s.resources["secretmanager/projects/p/secrets/keys/versions/latest"] = object{"name": fmt.Sprintf("projects/123/secrets/keys/versions/%d", n), "state": "ENABLED"}
}

// The role on the secret is minutes old when the first function wants it.
func TestAFirstDeploymentWaitsForTheRoleOnTheSecret(t *testing.T) {
	t.Parallel()
	s, o := keyed(t)
	early := 2
	s.refuse = func(_, resource string) string {
		if early > 0 && strings.HasSuffix(resource, "/functions") {
			early--
			return "Could not create or update Cloud Run service relationindex-on-follower-written, spec.template.spec.containers[0].env[1].value_from.secret_key_ref.name: " +
				"Permission denied on secret: projects/123/secrets/keys/versions/1 for Revision service account relationindex-functions@p.iam.gserviceaccount.com."
		}
		return ""
	}
	s.deployed(t, o)
	if len(s.waited) != 2 {
		t.Errorf("it waits %v, want twice", s.waited)
	}
}

// Who forgets the secret would give the default key to each function that is made anew.
func TestADeploymentKeepsItsSecret(t *testing.T) {
	t.Parallel()
	s, o := keyed(t)
	s.deployed(t, o)
	s.changes()
	forgotten := o
	forgotten.TombstoneKeys = ""
	for what, do := range map[string]func() error{
		"deploy":   func() error { return s.machine.Deploy(t.Context(), plan(t, forgotten)) },
		"undeploy": func() error { return s.machine.Undeploy(t.Context(), removal(t, forgotten, false)) },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), "from the secret keys") || !strings.Contains(err.Error(), "--tombstone-keys=keys") {
			t.Errorf("%s without --tombstone-keys says %v", what, err)
		}
		if changes := s.changes(); len(changes) > 0 {
			t.Fatalf("%s without --tombstone-keys sends %v", what, changes)
		}
	}
	other := forgotten
	other.Name, other.Config.Database = "blue", "blue"
	s.deployed(t, other) // whose functions have none

	const role = "keys: roles/secretmanager.secretAccessor serviceAccount:relationindex-functions@p.iam.gserviceaccount.com"
	if !slices.Contains(s.roles(), role) {
		t.Errorf("roles are %q", s.roles())
	}
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.roles(), role) {
		t.Error("undeploy leaves the role on the secret")
	}
	if s.resource(t, "secretmanager", "latest") == nil {
		t.Error("the secret is gone")
	}
}

// A secret that somebody has deleted has no role to be taken back: its functions, which
// name it still, go with all that is theirs. Where gcloud may not list secrets, nothing does.
func TestUndeployAfterItsSecretIsGone(t *testing.T) {
	t.Parallel()
	s, o := keyed(t)
	s.deployed(t, o)
	s.changes()
	s.noSecrets = true
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err == nil || !strings.Contains(err.Error(), "gcloud services enable secretmanager.googleapis.com --project=p") {
		t.Errorf("where secrets cannot be listed it says %v", err)
	}
	if changes := s.changes(); len(changes) > 0 {
		t.Fatalf("where secrets cannot be listed it sends %v", changes)
	}
	s.noSecrets = false
	s.cloud.mu.Lock()
	maps.DeleteFunc(s.resources, func(key string, _ object) bool { return strings.HasPrefix(key, "secretmanager/") })
	delete(s.policies, "secretmanager/projects/p/secrets/keys")
	s.cloud.mu.Unlock()
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if left := slices.Concat(s.names(), s.projectRoles()); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}

// keyed is a project with the secret keys, and options that name it.
func keyed(t *testing.T) (*system, deploy.Options) {
	t.Helper()
	s, o := newSystem(t), options()
	s.version(1)
	o.NoFeed, o.Source, o.TombstoneKeys = true, nothing, "keys"
	return s, o
}

// keysOf is which version of which secret a function has for its keys of tombstones.
func (s *system) keysOf(t *testing.T, function string) string {
	t.Helper()
	config := s.resource(t, "cloudfunctions", "relationindex-"+function)["serviceConfig"].(object)
	var out []string
	all, _ := config["secretEnvironmentVariables"].([]any)
	for _, v := range all {
		out = append(out, fmt.Sprint(v.(object)["key"], " ", v.(object)["secret"], " ", v.(object)["version"]))
	}
	return strings.Join(out, ", ")
}

// withKeys are the functions that read the keys.
var withKeys = []string{
	"function relationindex-on-follower-written", "function relationindex-on-job-written",
	"function relationindex-on-post-written", "function relationindex-on-user-deleted",
}

// A new version of the secret is a change: the functions that read it are deployed with it, and no other.
func TestARotatedSecretIsDeployed(t *testing.T) {
	t.Parallel()
	s, o := keyed(t)
	s.deployed(t, o)
	if got := s.keysOf(t, "on-follower-written"); got != "RELATIONINDEX_TOMBSTONE_KEYS keys 1" {
		t.Errorf("it has %q", got)
	}
	s.changes()
	s.deployed(t, o)
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("the second deployment sends %v", changes)
	}
	s.version(2)
	var updated []string
	for _, told := range s.deployed(t, o) {
		if title, ok := strings.CutPrefix(told, "updated: "); ok {
			updated = append(updated, title)
		}
	}
	slices.Sort(updated)
	if diff := cmp.Diff(withKeys, updated); diff != "" {
		t.Errorf("with a second version (-want +got):\n%s", diff)
	}
	if got := s.keysOf(t, "on-job-written"); got != "RELATIONINDEX_TOMBSTONE_KEYS keys 2" {
		t.Errorf("it has %q", got)
	}
}
