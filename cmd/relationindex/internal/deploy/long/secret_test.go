package deploy_test

import (
	"encoding/base64"
	"maps"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
)

const secret = "relationindex-tombstone-key-default"

// small is a project, and options of a deployment without Feed.
func small(t *testing.T) (*system, deploy.Options) {
	t.Helper()
	s, o := newSystem(t), options()
	o.NoFeed, o.Source = true, nothing
	return s, o
}

// keyOf is the key that a secret holds.
func (s *system) keyOf(t *testing.T, secret string) string {
	t.Helper()
	payload, _ := s.resource(t, "secretmanager", secret+"/versions/1")["payload"].(object)
	data, _ := payload["data"].(string)
	key, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Error(err)
	}
	return string(key)
}

// Deploy makes the key, before the functions, and once: also where a deployment was interrupted
// between the secret and its key.
func TestDeployMakesTheKeyOfTombstonesOnce(t *testing.T) {
	t.Parallel()
	s, o := small(t)
	interrupted := true
	s.refuse = func(method, _ string) string {
		if interrupted && method == "POST version" {
			interrupted = false
			return "interrupted"
		}
		return ""
	}
	if err := s.machine.Deploy(t.Context(), plan(t, o)); err == nil || interrupted {
		t.Fatalf("the first deployment: %v", err)
	}
	for _, changed := range s.changes() {
		if strings.Contains(changed, "/functions") {
			t.Errorf("before there is a key: %s", changed)
		}
	}
	s.deployed(t, o)
	key := s.keyOf(t, secret)
	if err := (schema.Config{Project: "p", TombstoneKey: key}).Validate(); err != nil {
		t.Error(err)
	}
	function := s.resource(t, "cloudfunctions", "relationindex-on-user-deleted")["serviceConfig"].(object)
	if reads := function["secretEnvironmentVariables"].([]any)[0].(object); reads["key"] != config.VariableTombstones || reads["secret"] != secret || reads["version"] != "1" {
		t.Errorf("the function reads %v", reads)
	}
	s.changes()
	s.deployed(t, o)
	if changes := s.changes(); len(changes) > 0 {
		t.Errorf("the second deployment sends %v", changes)
	}
	if s.keyOf(t, secret) != key {
		t.Error("the key is another")
	}
}

// The role on the secret is only minutes old when the first function needs it.
func TestFirstDeploymentWaitsForSecretRole(t *testing.T) {
	t.Parallel()
	s, o := small(t)
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

// Undeploy takes the role back, and keeps the key: the next deployment on this database, by whatever
// name, has it again.
func TestUndeployKeepsTheKeyOfTombstones(t *testing.T) {
	t.Parallel()
	s, o := small(t)
	s.deployed(t, o)
	key := s.keyOf(t, secret)
	const role = secret + ": roles/secretmanager.secretAccessor serviceAccount:relationindex-functions@p.iam.gserviceaccount.com"
	if !slices.Contains(s.roles(), role) {
		t.Errorf("roles are %q", s.roles())
	}
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(s.roles(), role) {
		t.Error("undeploy leaves the role on the secret")
	}
	o.Name, o.RulesFile = "another", deploy.KeepRules
	s.deployed(t, o)
	if s.keyOf(t, secret) != key {
		t.Error("the key is another")
	}
}

// A secret that somebody has deleted has no role to be taken back: its functions, which
// name it still, go with all that is theirs. Where gcloud may not list secrets, nothing does.
func TestUndeployAfterItsSecretIsGone(t *testing.T) {
	t.Parallel()
	s, o := small(t)
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
	delete(s.policies, "secretmanager/projects/p/secrets/"+secret)
	s.cloud.mu.Unlock()
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if left := slices.Concat(s.names(), s.projectRoles()); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
}
