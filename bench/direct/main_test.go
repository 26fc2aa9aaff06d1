package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dataDir has a graph in a file of the data set's name: 5,000 follows of 500 accounts.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, fileName))
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(f)
	fmt.Fprint(zip, "# FromNodeId\tToNodeId\r\n")
	for n := range 5000 {
		fmt.Fprintf(zip, "%d\t%d\r\n", 1000+n/10, n%500)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The whole measurement on a small graph.
func TestCheck(t *testing.T) {
	var out strings.Builder
	if err := check(t.Context(), []string{"-data", dataDir(t), "-heap", "1g", "-triggers", "300"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"5000 follows of 500 accounts", "again     5000 rows", "triggers  300 rows", "300 events handled", "the functions' writes: 0, deletes: 0\n",
		"receipt followers 10, following 0, index documents 1", `trace: "0" is named in 0 places`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not print %q:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "verify: 0 violations\n"); n != 3 {
		t.Errorf("verify had the last word %d times, want 3:\n%s", n, out.String())
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	_, err := load(dir)
	for _, want := range []string{filepath.Join(dir, fileName), fileURL} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %s: %v", want, err)
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-triggers", "0"}, {"extra"}, {"-nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q) succeeded", args)
		}
	}
}
