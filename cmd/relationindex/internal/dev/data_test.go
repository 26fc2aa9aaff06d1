//go:build long

package dev

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit/program"
)

// The seed shows a feed at once. What is there at the end is there again, and so is what another project has.
func TestDevSeedsExportsAndImports(t *testing.T) {
	data := filepath.Join(t.TempDir(), "[data]")  // as a pattern, it would be another folder
	if err := os.Mkdir(data, 0o700); err != nil { // replaced, since it is empty
		t.Fatal(err)
	}
	first, err := program.StartDev(t.TempDir(), nil, "--seed", "../../../../examples/seed", "--export-on-exit", data)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Loops, and what they are for", "Nanoseconds for everyone", "A hobby. It will not be big.", "Notes on the engine", "A bug, found in a relay."}
	if diff := cmp.Diff(want, feedTexts(t, first, "mary@example.com")); diff != "" {
		t.Errorf("the feed of the seed (-want +got):\n%s", diff)
	}
	if names := offered(t, first); len(names) != 4 || names[0] != "mary" {
		t.Errorf("the sign-in page offers %v, want all four, and mary, who follows most, first", names)
	}
	addFollow(t, openProject(t, first, "demo-other"), "bob", "eve")
	addFollow(t, openProject(t, first, command.DemoProject), "late", "ada") // exported with what it leads to
	if err := first.Cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-first.Ended; err != nil || first.Stdout.Len() > 0 {
		t.Fatalf("it ended with %v, and said %q", err, first.Stdout)
	}
	says := "The seed has 4 profiles, 8 follows and 5 posts.\nSign in as ada@example.com, grace@example.com, linus@example.com, mary@example.com with the password \"password\".\n"
	if got := first.Stderr.String(); got != says {
		t.Errorf("it said %q, want %q", got, says)
	}

	before := events(t, data)
	second, err := program.StartDev(t.TempDir(), nil, "--import", data, "--export-on-exit", data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, feedTexts(t, second, "mary@example.com")); diff != "" {
		t.Errorf("the feed after the import (-want +got):\n%s", diff)
	}
	for project, path := range map[string]string{command.DemoProject: "users/late/following/ada", "demo-other": "users/bob/following/eve"} {
		if _, err := openProject(t, second, project).Doc(path).Get(t.Context()); err != nil {
			t.Error(err)
		}
	}
	addFollow(t, openProject(t, second, "demo-other"), "kim", "eve") // its triggers are there
	if err := second.End(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if after := events(t, data); cmp.Equal(before, after) {
		t.Error("the second export is the first")
	}
	if left, err := os.ReadDir(filepath.Dir(data)); err != nil || len(left) != 1 {
		t.Errorf("beside the export are %v, %v", left, err)
	}

	output := filepath.Join(data, "firestore_export/all_namespaces/all_kinds/output-0")
	text, err := os.ReadFile(output)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)/2]++
	if err := os.WriteFile(output, text, 0o600); err != nil {
		t.Fatal(err)
	}
	dev := append([]string{"dev"}, program.FreePorts...)
	program.Run(t, nil, append(dev, "--import", data)...).Want(t, program.Failed, "the export is damaged", output+" has a wrong record at byte ")
}

func TestDevChecksItsFolders(t *testing.T) {
	used, missing := t.TempDir(), filepath.Join(t.TempDir(), "none")
	if err := os.WriteFile(filepath.Join(used, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := t.TempDir()
	if err := os.WriteFile(filepath.Join(wrong, "follows.csv"), []byte("followed,follower\nada,bob\nada\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "firebase-export-metadata.json"), []byte(`{"auth":{"path":"../x"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs, blue := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(theirs, "firebase-export-metadata.json"): `{"version":"15.34.2","firestore":{"metadata_file":"f/f"},"storage":{"path":"storage_export"}}`,
		filepath.Join(theirs, "storage_export"):                "",
		filepath.Join(blue, "firebase-export-metadata.json"):   `{"version":"relationindex","firestore":{"metadata_file":"f/f","database":"blue"}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		flag, folder string
		code         int
		want         string
	}{
		{"--import", missing, program.Failed, "is not an export of dev or of firebase emulators:export"},
		{"--import", used, program.Failed, "is not an export"},
		{"--import", outside, program.Failed, "must be below the folder"},
		{"--export-on-exit", used, program.Failed, "has files, but no firebase-export-metadata.json"},
		{"--export-on-exit", filepath.Join(missing, "below"), program.Failed, "create the parent folder first"},
		{"--export-on-exit", theirs, program.Failed, "storage_export, which is not part of an export of dev"},
		{"--export-on-exit", blue, program.Failed, `has documents of the database "blue", but this process uses the database (default)`},
		{"--import", blue, program.Failed, `has documents of the database "blue", but this process uses the database (default)`},
		{"--seed", missing, program.Usage, "no such file or directory"},
		{"--seed", used, program.Usage, "has no file follows*.csv or posts*.csv"},
		{"--seed", wrong, program.Failed, "follows.csv:3: no follower in column 2"},
	} {
		program.Run(t, nil, append(append([]string{"dev"}, program.FreePorts...), tt.flag, tt.folder)...).Want(t, tt.code, tt.flag[2:6], tt.want)
	}
	if _, err := os.Stat(filepath.Join(used, "mine")); err != nil {
		t.Error(err)
	}
}

// events is the first bytes of what was exported last.
func events(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "projects/demo-other/firestore_export/all_namespaces/all_kinds/output-0"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func openProject(t *testing.T, p *program.Dev, project string) *firestore.Client {
	t.Helper()
	c, err := local.Open(t.Context(), project, p.FirestoreHost)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func addFollow(t *testing.T, c *firestore.Client, follower, author string) {
	t.Helper()
	if _, err := c.Doc("users/"+author+"/followers/"+follower).Set(t.Context(), map[string]any{"createdAt": firestore.ServerTimestamp}); err != nil {
		t.Fatal(err)
	}
}

// offered are the names of the accounts that the sign-in page shows.
func offered(t *testing.T, p *program.Dev) (names []string) {
	t.Helper()
	answer, err := http.Get(p.WebURL + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var config struct {
		Dev struct{ Accounts []struct{ Name string } }
	}
	if err := json.NewDecoder(answer.Body).Decode(&config); err != nil {
		t.Fatal(err)
	}
	for _, a := range config.Dev.Accounts {
		names = append(names, a.Name)
	}
	return names
}

// feedTexts signs in as somebody of the seed, and reads Feed.
func feedTexts(t *testing.T, p *program.Dev, email string) (texts []string) {
	t.Helper()
	resp, err := http.Post("http://"+p.AuthHost+"/identitytoolkit.googleapis.com/v1/accounts:signInWithPassword?key=demo", "application/json",
		strings.NewReader(`{"email":"`+email+`","password":"password","returnSecureToken":true}`))
	if err != nil {
		t.Fatal("this test needs the Auth emulator:", err)
	}
	defer resp.Body.Close()
	var account struct{ IDToken string }
	if err := json.NewDecoder(resp.Body).Decode(&account); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.FeedURL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+account.IDToken)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var page struct {
		Posts []struct{ Data struct{ Text string } }
	}
	if err := json.NewDecoder(answer.Body).Decode(&page); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("feed of %s: %s, %v", email, answer.Status, err)
	}
	for _, post := range page.Posts {
		texts = append(texts, post.Data.Text)
	}
	return texts
}

// An app's own functions do what ours do, and what the app adds: in the project of dev, and in others.
func TestDevServesAnAppsFunctions(t *testing.T) {
	dev, err := program.StartDev(t.TempDir(), nil, "--functions", "../../../../examples/embed/cmd/functions")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dev.End(syscall.SIGTERM) })
	for _, project := range []string{command.DemoProject, "demo-other"} {
		db := openProject(t, dev, project)
		addFollow(t, db, "bob", "ann")
		until(t, db.Collection("users/bob/following").Query) // who follows later gets the next post
		if _, err := db.Doc("posts/p1").Create(t.Context(), map[string]any{
			"userId": "ann", "audience": "ann", "hidden": false, "createdAt": firestore.ServerTimestamp,
		}); err != nil {
			t.Fatal(err)
		}
		until(t, db.Collection("unread").Where("reader", "==", "bob"))
	}
}

// until waits until a query finds a document.
func until(t *testing.T, q firestore.Query) {
	t.Helper()
	for {
		docs, err := q.Documents(t.Context()).GetAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(docs) > 0 {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
}

func TestDevRejectsFunctionsThatDoNotBuild(t *testing.T) {
	if _, err := program.StartDev(t.TempDir(), nil, "--functions", t.TempDir()); err == nil {
		t.Error("it starts")
	}
}
