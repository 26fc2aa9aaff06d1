package survey_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/survey"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// look writes documents of an app, and returns what a survey finds strange, with what it stops for in
// capitals.
func look(t *testing.T, app *testkit.App, documents map[string]map[string]any) []string {
	t.Helper()
	for path, fields := range documents {
		app.Must(app.Client.Doc(path).Set(t.Context(), fields))
	}
	found, reads, err := survey.Collections(t.Context(), app.Instance().DB, 8, nil)
	app.Must(nil, err)
	if most := int64(len(found) * (2*8 + 2)); reads > most {
		t.Errorf("%d reads, want at most %d", reads, most)
	}
	var strange []string
	for _, f := range found {
		if (f.Strange > 0) != (f.Problem != "") || f.Strange == 0 && f.Fields != nil || f.Stops && f.Strange == 0 || f.Sampled > 8 {
			t.Errorf("a finding that does not agree with itself: %+v", f)
		}
		if f.Strange == 0 {
			continue
		}
		name := f.Collection
		if f.Stops {
			name = strings.ToUpper(name)
		}
		strange = append(strange, fmt.Sprint(name, " ", f.Documents, " ", f.Strange))
	}
	return strange
}

// A graph of relationindex itself has nothing strange: a survey may be run again after an installation.
func TestNothingOfOursIsStrange(t *testing.T) {
	t.Parallel()
	app := testkit.NewApp(t, config.Functions{Timeline: "items"})
	for _, u := range []string{"ada", "bob"} {
		app.Profile(u, map[string]any{"name": u})
	}
	app.Follow("bob", "ada")
	app.Settle()
	app.Must(app.Client.Doc("posts/p").Set(t.Context(), map[string]any{"userId": "ada", "audience": "ada", "hidden": false, "createdAt": time.Now()}))
	app.Settle()
	if diff := cmp.Diff([]string(nil), look(t, app, nil)); diff != "" {
		t.Error(diff)
	}
}

// What an app has under names that the functions own stops; the same names elsewhere do not, and what is
// only not seen does not.
func TestAnAppWithCollectionsOfItsOwn(t *testing.T) {
	t.Parallel()
	documents := map[string]map[string]any{
		"users/ada":               {"name": "Ada"},
		"users/bob":               {"title": "no name"},
		"users/ada/following/bob": {"since": 2020},
		"users/ada/timeline/x":    {"event": "born"},
		"users/bob/followers/bob": {},
		"zoo/x/following/y":       {"anything": true},
		"zoo/x/requests/y":        {},
		"_functions/config":       {"region": "eu"},
		"_relations/r":            {"from": "a"},
		"posts/old":               {"author": "ada"},
		"posts/new":               {"userId": "ada", "createdAt": time.Now()},
		"posts/newer":             {"userId": "ada", "createdAt": "today", "audience": "ada", "hidden": false},
	}
	for n := range 20 {
		documents[fmt.Sprint("users/ada/requests/r", n)] = map[string]any{"state": "sent"}
	}
	app := testkit.NewApp(t, config.Functions{})
	got := look(t, app, documents)
	want := []string{
		"USERS/*/FOLLOWING 2 1", "USERS/*/REQUESTS 21 8", "_RELATIONS 1 1", "_FUNCTIONS 1 1",
		"users/*/timeline 1 1", "USERS/*/FOLLOWERS 1 1", "users 2 1", "posts 3 1", "POSTS 3 2", "posts 3 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("of %v (-want +got):\n%s", slices.Sorted(maps.Keys(documents)), diff)
	}
}
