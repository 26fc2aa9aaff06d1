package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/testkit/program"
)

// idle waits for the shared system.
func idle(t *testing.T) {
	t.Helper()
	resp, err := http.Get(running.FunctionsURL + "/idle?timeout=60s")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
}

// From files to feeds, through the functions; then verify, before and after
// somebody has damaged something.
func TestImportFeedVerify(t *testing.T) {
	graph := program.File(t, "graph.txt", "b a\nc a\nd a\ne a\nb z\n") // four followers, one more than the capacity
	posts := program.File(t, "posts.csv", "p1,a,1341100972\np2,z,1341100973\np3,a,1341100974\n")
	relationindex(t, "import", "follows", graph, "--columns", "follower=1,followed=2").Want(t, exitOK, "imported 5")
	relationindex(t, "import", "posts", posts, "--columns", "id=1,author=2,createdAt=3").Want(t, exitOK, "imported 3")
	idle(t)

	t.Run("feed as a table", func(t *testing.T) {
		out := relationindex(t, "feed", "--as", "b")
		want := "CREATED AT            AUTHOR  POST\n" +
			"2012-07-01T00:02:54Z  a       p3\n" +
			"2012-07-01T00:02:53Z  z       p2\n" +
			"2012-07-01T00:02:52Z  a       p1\n"
		if out.Want(t, exitOK); out.Stdout != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, out.Stdout))
		}
	})
	t.Run("feed as JSON", func(t *testing.T) {
		out := relationindex(t, "feed", "--as", "e", "--limit", "1", "--json")
		want := `{"postId":"p3","userId":"a","createdAt":"2012-07-01T00:02:54Z"}` + "\n"
		if out.Want(t, exitOK); out.Stdout != want {
			t.Errorf("(-want +got):\n%s", cmp.Diff(want, out.Stdout))
		}
	})
	t.Run("feed as the function reads it", func(t *testing.T) {
		line := func(post, author, seconds string) string {
			return `{"postId":"` + post + `","userId":"` + author + `","createdAt":"2012-07-01T00:02:` + seconds + `Z"}` + "\n"
		}
		p3, p2, p1 := line("p3", "a", "54"), line("p2", "z", "53"), line("p1", "a", "52")
		for want, all := range map[string][][]string{
			p3 + p2 + p1: {{"--all"}, {"--source", "pull"}, {"--source", "pull", "--all", "--limit", "1"}, {"--source", "relations", "--all", "--limit", "2"}},
			p3 + p2:      {{"--source", "pull", "--limit", "2"}, {"--source", "relations", "--limit", "2"}},
		} {
			for _, args := range all {
				out := relationindex(t, append([]string{"feed", "--as", "b", "--json"}, args...)...)
				if out.Want(t, exitOK); out.Stdout != want {
					t.Errorf("%q (-want +got):\n%s", args, cmp.Diff(want, out.Stdout))
				}
			}
		}
		direct, pulled := relationindex(t, "feed", "--as", "b"), relationindex(t, "feed", "--as", "b", "--source", "pull", "--all", "--limit", "1")
		if pulled.Want(t, exitOK); pulled.Stdout != direct.Stdout {
			t.Errorf("as a table (-query +pull):\n%s", cmp.Diff(direct.Stdout, pulled.Stdout))
		}
		relationindex(t, "feed", "--as", "nobody", "--all").Want(t, exitOK, "nothing in the feed of nobody")
	})
	t.Run("feed of nobody", func(t *testing.T) {
		out := relationindex(t, "feed", "--as", "nobody")
		if out.Want(t, exitOK, "nothing in the feed of nobody"); out.Stdout != "" {
			t.Errorf("it printed %q", out.Stdout)
		}
	})
	t.Run("verify finds nothing", func(t *testing.T) {
		out := relationindex(t, "verify")
		if out.Want(t, exitOK); !strings.HasSuffix(out.Stdout, "\nverify: 0 violations\n") {
			t.Errorf("it ends with %q", out.Stdout)
		}
		out = relationindex(t, "verify", "--project", command.DemoProject, "--json")
		var counts verify.Verified
		if err := json.Unmarshal([]byte(out.Stdout), &counts); err != nil {
			t.Errorf("%q: %v", out.Stdout, err)
		}
		if counts.Followers != 5 || counts.Relations != 5+3 || counts.Violations != 0 {
			t.Errorf("counts %+v, want 5 follows, 5 relations, and 3 of own posts", counts)
		}
	})
	t.Run("verify names the damage", verifyNamesTheDamage)
}

func verifyNamesTheDamage(t *testing.T) {
	// No function is triggered by relations.
	stray := client(t, command.DemoProject).Doc("_relations/stray_00001")
	if _, err := stray.Set(t.Context(), map[string]any{"postId": "stray", "userId": "a", "indexId": "00001", "followers": []string{}}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := stray.Delete(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	}()
	out := relationindex(t, "verify")
	out.Want(t, exitFailed, "_relations/stray_00001: ", "(invariant 3)\n", "\nverify: 1 violations\n")
	if said(out) != "" {
		t.Errorf("it says %q on standard error", said(out))
	}
	out = relationindex(t, "verify", "--json")
	out.Want(t, exitFailed)
	lines := strings.Split(strings.TrimSpace(out.Stdout), "\n")
	var violation verify.Violation
	var counts verify.Verified
	if len(lines) != 2 || json.Unmarshal([]byte(lines[0]), &violation) != nil || json.Unmarshal([]byte(lines[1]), &counts) != nil ||
		violation.Document != "_relations/stray_00001" || violation.Invariant != 3 || violation.Problem == "" || counts.Violations != 1 {
		t.Errorf("it printed %q", out.Stdout)
	}
}

// A relation may carry what a table and JSON have no form for.
func TestFeedShowsCopiedFields(t *testing.T) {
	t.Parallel()
	const project = "demo-fields"
	c := client(t, project)
	if _, err := c.Doc("_relations/p1_00001").Set(t.Context(), map[string]any{
		"postId": "p1", "userId": "a", "indexId": "00001", "indexVersion": 1, "followers": []string{"b"}, "createdAt": firestore.ServerTimestamp,
		"text": "two\nlines \x1b[31m", "where": c.Doc("places/x"), "likes": 3,
	}); err != nil {
		t.Fatal(err)
	}
	out := relationindex(t, "feed", "--as", "b", "--project", project)
	out.Want(t, exitOK, "likes", "text", "two lines  [31m", "places/x")
	out = relationindex(t, "feed", "--as", "b", "--project", project, "--json")
	out.Want(t, exitOK, `"text":"two\nlines \u001b[31m"`, `"likes":3`)
}

func TestFeedAndVerifyRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	relationindex(t, "feed").Want(t, exitUsage, `"as"`)
	relationindex(t, "feed", "--as", "").Want(t, exitUsage, "strange id: it is empty")
	relationindex(t, "feed", "--as", "a/b").Want(t, exitUsage, "slash")
	relationindex(t, "feed", "--as", "b", "--limit", "51").Want(t, exitUsage, "1 to 50")
	relationindex(t, "feed", "--as", "b", "--limit", "0").Want(t, exitUsage, "1 to 50")
	relationindex(t, "feed", "--as", "b", "--source", "push").Want(t, exitUsage, `--source "push": must be relations, pull or timeline`)
	relationindex(t, "verify", "--nonsense").Want(t, exitUsage, "--nonsense")
	relationindex(t, "verify", "extra").Want(t, exitUsage, "extra")
	program.Run(t, nil, "verify").Want(t, exitUsage, "--project")
	program.Run(t, []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "RELATIONINDEX_CAPACITY=0x"}, "verify").Want(t, exitFailed, `RELATIONINDEX_CAPACITY="0x": must be 1 to 10,000 follower ids`)
}
