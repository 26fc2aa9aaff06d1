package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/testkit/program"
	"example.com/relationindex/testkit/storagetest"
)

func gzipped(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// The true client, and a server that breaks each connection after 400 bytes.
func TestImportFromCloudStorage(t *testing.T) {
	t.Parallel()
	server := storagetest.Start(400)
	defer server.Close()
	var text strings.Builder
	for n := range 300 {
		fmt.Fprintf(&text, "reader%d alice%d\n", n, n*7919)
	}
	packed := gzipped(t, text.String())
	server.Put("bucket", "graph.gz", "", packed)
	server.Put("bucket", "encoded", "gzip", packed) // Cloud Storage would decompress it on its way
	for n := range 8 {                              // more than a page of the list has
		server.Put("bucket", fmt.Sprintf("parts/%d\x1b[2J", n), "", fmt.Appendf(nil, "bad\nfan%d star\n", n))
	}
	server.Put("bucket", "parts/", "", nil)
	env := []string{"FIRESTORE_EMULATOR_HOST=" + running.FirestoreHost, "STORAGE_EMULATOR_HOST=" + server.Host}
	columns := []string{"--columns", "follower=1,followed=2"}
	run := func(project, kind, name string, more ...string) program.Outcome {
		return program.Run(t, env, append(append([]string{"import", kind, name, "--project", project}, columns...), more...)...)
	}
	for _, name := range []string{"graph.gz", "encoded"} {
		before := len(server.Reads())
		run("demo-gs-"+name[:5], "follows", "gs://bucket/"+name).Want(t, exitOK, "imported 300, skipped 0")
		reads := server.Reads()[before:]
		var want []string
		for at := 0; at < len(packed); at += 400 {
			want = append(want, fmt.Sprint(at))
		}
		if diff := cmp.Diff(want, reads); diff != "" || len(want) < 3 {
			t.Errorf("%s was read from (-want +got):\n%s", name, diff)
		}
	}
	out := run("demo-gs-parts", "follows", "gs://bucket/parts/")
	out.Want(t, exitOK, "imported 8, skipped 8 (8 malformed", "gs://bucket/parts/7 [2J:1: ")
	if strings.Contains(out.Stderr, "\x1b") {
		t.Errorf("it printed %q", out.Stderr)
	}
	run("demo-gs", "follows", "gs://bucket/none.txt").Want(t, exitFailed, "gs://bucket/none.txt: there is no such object")
	run("demo-gs", "follows", "gs://bucket/none*").Want(t, exitFailed, "gs://bucket/none*: no object's name begins so")
	run("demo-gs", "follows", "gs://bucket").Want(t, exitUsage, "for example gs://bucket/graph.csv.gz")
	run("demo-gs", "follows", "gs://bucket/graph.gz", "--direct", "--columns", "follower=1,followed=2,createdAt=3").Want(t, exitUsage, "leave createdAt out")

	// Posts of several objects have the same line numbers, and are different posts.
	for n := range 2 {
		server.Put("posts", fmt.Sprintf("part%d", n), "", []byte("alice,1341100972\n"))
	}
	columns = []string{"--columns", "author=1,createdAt=2"}
	for _, says := range []string{"imported 2, skipped 0", "imported 0, 2 were there already, skipped 0"} {
		run("demo-gs-posts", "posts", "gs://posts/part*").Want(t, exitOK, says)
		docs, err := client(t, "demo-gs-posts").Collection("posts").Documents(t.Context()).GetAll()
		if err != nil || len(docs) != 2 {
			t.Errorf("%d posts, want 2: %v", len(docs), err)
		}
	}
}
