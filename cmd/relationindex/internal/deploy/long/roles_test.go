package deploy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// projectRoles are the roles that accounts have in the project.
func (s *system) projectRoles() []string {
	return slices.DeleteFunc(s.roles(), func(role string) bool { return !strings.HasPrefix(role, "p: ") })
}

// give binds a role to a member, as somebody does by hand.
func (s *system) give(of, role, member string) {
	s.cloud.mu.Lock()
	defer s.cloud.mu.Unlock()
	policy := s.policies[of]
	if policy == nil {
		policy = object{"etag": "BwXw"}
		s.policies[of] = policy
	}
	bindings, _ := policy["bindings"].([]any)
	policy["bindings"] = append(bindings, object{"role": role, "members": []any{member}})
}

// Accounts read and write the deployment's database, and no other of the project.
// Roles that an earlier release granted on every database are revoked.
func TestRolesAreLimitedToDatabase(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.Name, o.Config.Database, o.Source = "blue", "blue", nothing
	const on, account = ` if resource.name=="projects/p/databases/blue"`, " serviceAccount:blue-"
	want := []string{
		"p: projects/p/roles/relationindexFeed" + account + "feed@p.iam.gserviceaccount.com",
		"p: roles/cloudbuild.builds.builder" + account + "build@p.iam.gserviceaccount.com",
		"p: roles/datastore.user" + account + "functions@p.iam.gserviceaccount.com" + on,
		"p: roles/datastore.viewer" + account + "feed@p.iam.gserviceaccount.com" + on,
		"p: roles/eventarc.eventReceiver" + account + "triggers@p.iam.gserviceaccount.com",
	}
	s.deployed(t, o)
	if diff := cmp.Diff(want, s.projectRoles()); diff != "" {
		t.Errorf("roles (-want +got):\n%s", diff)
	}
	t.Run("TestRolesOnEveryDatabaseAreRevoked", func(t *testing.T) {
		s.give("cloudresourcemanager/projects/p", "roles/datastore.user", "serviceAccount:blue-functions@p.iam.gserviceaccount.com")
		s.machine.SourceDigest = strings.Repeat("f", 32)
		told := s.deployed(t, o)
		if diff := cmp.Diff(want, s.projectRoles()); diff != "" {
			t.Errorf("roles (-want +got):\n%s", diff)
		}
		// Last, when those on the one database are known everywhere.
		last := slices.IndexFunc(told, func(line string) bool {
			return strings.HasPrefix(line, "removed: not roles/datastore.user on every database")
		})
		if n := slices.IndexFunc(told, func(line string) bool { return strings.HasPrefix(line, "updated: function") }); last < n || n < 0 {
			t.Errorf("it takes the role back as its step %d, and deploys a function as its step %d", last, n)
		}
		s.changes()
		s.deployed(t, o)
		if changes := s.changes(); len(changes) > 0 {
			t.Errorf("once more it sends %v", changes)
		}
	})
}

// Feed's account may look up accounts of Firebase Authentication, by a role with that permission alone, which
// undeploy leaves without members. The wider role of an earlier release is taken back.
func TestFeedAccountHasOnlyLookupRole(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.Source = nothing
	s.give("cloudresourcemanager/projects/p", "roles/firebaseauth.viewer", "serviceAccount:relationindex-feed@p.iam.gserviceaccount.com")
	if diff := cmp.Diff([]string{"not roles/firebaseauth.viewer for relationindex-feed@p.iam.gserviceaccount.com"}, removed(s.deployed(t, o))); diff != "" {
		t.Errorf("it removes (-want +got):\n%s", diff)
	}
	const bound = "p: projects/p/roles/relationindexFeed serviceAccount:relationindex-feed@p.iam.gserviceaccount.com"
	if roles := s.projectRoles(); !slices.Contains(roles, bound) || slices.ContainsFunc(roles, func(role string) bool { return strings.Contains(role, "firebaseauth") }) {
		t.Errorf("roles are %q", roles)
	}
	role := s.resource(t, "iam", "relationindexFeed")
	if diff := cmp.Diff(any([]any{"firebaseauth.users.get"}), role["includedPermissions"]); diff != "" || role["stage"] != "GA" {
		t.Errorf("the role is %v", role)
	}
	// A deployment corrects the role of another release.
	role["description"], role["includedPermissions"] = "deployed by relationindex: otherwise", []any{"firebaseauth.users.get", "firebaseauth.users.delete"}
	s.deployed(t, o)
	if diff := cmp.Diff(any([]any{"firebaseauth.users.get"}), role["includedPermissions"]); diff != "" {
		t.Errorf("after another deployment (-want +got):\n%s", diff)
	}
	if err := s.machine.Undeploy(t.Context(), removal(t, o, false)); err != nil {
		t.Fatal(err)
	}
	if roles := s.projectRoles(); len(roles) > 0 {
		t.Errorf("undeploy leaves %q", roles)
	}
	s.deployed(t, o)
	if !slices.Contains(s.projectRoles(), bound) {
		t.Errorf("after the next deployment roles are %q", s.projectRoles())
	}
}

// The next deployment closes a private function that somebody made public. Without Feed,
// it removes the Feed of an earlier deployment.
func TestPrivateFunctionsAreClosed(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	o := options()
	o.Source = nothing
	s.deployed(t, o)
	before := s.roles()
	const services = "run/projects/p/locations/us-central1/services/relationindex-"
	s.give(services+"sweep", "roles/run.invoker", "allUsers")
	s.give(services+"on-post-written", "roles/run.admin", "allAuthenticatedUsers")
	if diff := cmp.Diff([]string{"roles of everybody on relationindex-on-post-written", "roles of everybody on relationindex-sweep"}, removed(s.deployed(t, o))); diff != "" {
		t.Errorf("it removes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, s.roles()); diff != "" {
		t.Errorf("roles (-before +after):\n%s", diff)
	}
	t.Run("TestDeploymentWithoutFeedRemovesIt", func(t *testing.T) {
		o.NoFeed = true
		s.deployed(t, o)
		left := slices.DeleteFunc(slices.Concat(s.names(), s.projectRoles()), func(name string) bool { return !strings.Contains(name, "-feed") })
		if len(left) > 0 {
			t.Errorf("it leaves %q", left)
		}
		s.changes()
		s.deployed(t, o)
		if changes := s.changes(); len(changes) > 0 {
			t.Errorf("once more it sends %v", changes)
		}
		const mine = "projects/p/locations/us-central1/functions/relationindex-feed"
		s.resources["cloudfunctions/"+mine] = object{"name": mine, "state": "ACTIVE", "environment": "GEN_2", "labels": object{"relationindex": "other"}}
		s.deployed(t, o)
		if changes := s.changes(); len(changes) > 0 {
			t.Errorf("beside somebody else's it sends %v", changes)
		}
	})
}

// removed are the titles of the steps that removed something.
func removed(told []string) []string {
	var out []string
	for _, line := range told {
		if title, ok := strings.CutPrefix(line, "removed: "); ok {
			out = append(out, title)
		}
	}
	slices.Sort(out)
	return out
}
