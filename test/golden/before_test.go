//go:build long

package golden

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/local"
	"example.com/relationindex/testkit"
)

// The exports in testdata/before are databases that the functions of commit cacfacd1 have written after 150 operations, with
// numbers and notifications. The present functions go on with them, and the present command repairs them.
func TestDatabaseOfVersionBefore(t *testing.T) {
	t.Parallel()
	program := filepath.Join(t.TempDir(), "relationindex")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "example.com/relationindex/cmd/relationindex").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, c := range map[string]struct {
		project string
		checks  []string
	}{
		"items":   {"demo-testform-items-1", []string{"verify", "verify-timelines"}},
		"buckets": {"demo-testform-buckets-2", []string{"verify-timelines"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			export, err := filepath.Abs(filepath.Join("testdata/before", name, name+".overall_export_metadata"))
			if err != nil {
				t.Fatal(err)
			}
			emulator := testkit.Machine(t).Emulator
			if err := emulator.Import(t.Context(), c.project, "(default)", export); err != nil {
				t.Fatal(err)
			}
			run := func(command string) string {
				cmd := exec.CommandContext(t.Context(), program, command, "--project", c.project)
				cmd.Env = append(cmd.Environ(), "FIRESTORE_EMULATOR_HOST="+emulator.FirestoreHost())
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", command, err, out)
				}
				return string(out)
			}
			p := testkit.Functions(t, c.project, formOf(forms[name]))
			goOn(t, p)
			run("repair")
			for _, command := range c.checks {
				if out := run(command); !none.MatchString(out) {
					t.Errorf("%s after the repair:\n%s", command, out)
				}
			}
		})
	}
}

// none is what these commands print of a sound database.
var none = regexp.MustCompile(`(?m)^verify.*: 0 (violations|problems)$`)

// goOn has a reader of the former version follow somebody, and get what they post from now on.
func goOn(t *testing.T, p *local.Project) {
	t.Helper()
	ctx, reader, author := t.Context(), p.Client.Doc("users/new-reader"), "user-00001"
	if _, err := reader.Set(ctx, map[string]any{"name": "A new reader"}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Client.Doc("users/"+author+"/followers/"+reader.ID).Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Client.Doc("posts/new-post").Set(ctx, map[string]any{
		"userId": author, "audience": author, "hidden": false, "text": "new", "createdAt": firestore.ServerTimestamp,
	}); err != nil {
		t.Fatal(err)
	}
	if err := p.Idle(ctx); err != nil {
		t.Fatal(err)
	}
	timeline, err := reader.Collection("timeline").Where("posts", "array-contains", "new-post").Documents(ctx).GetAll()
	if err != nil || len(timeline) != 1 {
		t.Errorf("%d documents of the timeline have the new post: %v", len(timeline), err)
	}
}
