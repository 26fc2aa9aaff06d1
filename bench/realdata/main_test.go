package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/dev"
)

// TestMain is also the child that serves the functions.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "functions" {
		fmt.Fprintln(os.Stderr, dev.ServeArgs(context.Background(), os.Args[2:]))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// dataDir has files of the data set's names: 5 readers of 3 authors, 4 of whom
// follow the first, and 60 posts of them in turn, two in each second.
func dataDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	zipped(t, filepath.Join(dir, graphNames[1]), "1 101\n2 101\n1 101\n1 102\n3 101\n2 102\n3 102\n101 101\n4 101\n5 103\n1 2\n")
	var activity strings.Builder
	for n := range 60 {
		fmt.Fprintf(&activity, "%d 1 %d RT\n", 101+n%3, 1341100000+n/2)
	}
	zipped(t, filepath.Join(dir, activityNames[0]), activity.String())
	return dir
}

func zipped(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	zip := gzip.NewWriter(f)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// The whole check on a small graph, with the system as it is.
func TestCheck(t *testing.T) {
	var out strings.Builder
	if err := check(t.Context(), []string{"-data", dataDir(t), "-follows", "9", "-posts", "40", "-capacity", "2"}, &out); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	// Readers 1, 2 and 3 follow both authors with more than two followers, 4 one of them.
	for _, want := range []string{"9 follows of 4 accounts by 5 readers; 40 posts of 2 authors", "feeds compared: 5, posts in them: 140, differences: 0\n", "verify: 0 violations\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not print %q:\n%s", want, out.String())
		}
	}
}

func TestLoadIsTheJoin(t *testing.T) {
	in, err := find(dataDir(t))
	if err != nil {
		t.Fatal(err)
	}
	e, err := load(in, options{follows: 9, posts: 40, capacity: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"101": 4, "102": 3, "103": 1, "2": 1}, e.followers); diff != "" {
		t.Errorf("followers (-want +got):\n%s", diff)
	}
	feed := e.feed("4")
	if len(feed) != 20 || len(e.feed("1")) != 40 || len(e.feed("5")) != 0 {
		t.Errorf("feeds of %d, %d and %d posts, want 20, 40 and 0", len(feed), len(e.feed("1")), len(e.feed("5")))
	}
	for i := 1; i < len(feed); i++ {
		if feed[i].createdAt.After(feed[i-1].createdAt) {
			t.Errorf("post %d is newer than the one before it", i)
		}
	}
	if _, err := load(in, options{follows: 9, posts: 41, capacity: 2}); err == nil || !strings.Contains(err.Error(), "9 follows and 40 posts") {
		t.Errorf("load of more posts than there are: %v", err)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	_, err := find(dir)
	if err == nil {
		t.Fatal("found files in an empty directory")
	}
	for _, want := range []string{
		filepath.Join(dir, "higgs-social_network.edgelist.gz"), "https://snap.stanford.edu/data/higgs-social_network.edgelist.gz",
		filepath.Join(dir, "higgs-activity_time.txt.gz"), "https://snap.stanford.edu/data/higgs-activity_time.txt.gz",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %s: %v", want, err)
		}
	}
}

func TestCompare(t *testing.T) {
	at := func(id string, second int64) post { return post{id, time.Unix(second, 0)} }
	want := []post{at("a", 3), at("b", 2), at("c", 2), at("d", 1)}
	tests := map[string]struct {
		got  []post
		want string
	}{
		"the same":                          {[]post{at("a", 3), at("b", 2), at("c", 2), at("d", 1)}, ""},
		"another order within a second":     {[]post{at("a", 3), at("c", 2), at("b", 2), at("d", 1)}, ""},
		"an older post first":               {[]post{at("b", 2), at("a", 3), at("c", 2), at("d", 1)}, "newer than the one before"},
		"one missing":                       {[]post{at("a", 3), at("b", 2), at("c", 2)}, "3 posts, want 4"},
		"one missing in the middle":         {[]post{at("a", 3), at("c", 2), at("d", 1)}, "at 1 it has c"},
		"one twice":                         {[]post{at("a", 3), at("b", 2), at("b", 2), at("c", 2), at("d", 1)}, "5 posts, want 4"},
		"one too many":                      {[]post{at("a", 3), at("b", 2), at("c", 2), at("d", 1), at("e", 0)}, "5 posts, want 4"},
		"another time":                      {[]post{at("a", 4), at("b", 2), at("c", 2), at("d", 1)}, "at 0 it has a"},
		"nothing where something should be": {nil, "0 posts, want 4"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := compare(tt.got, want)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("compare: %q, want %q", got, tt.want)
			}
		})
	}
	if got := compare(nil, nil); got != "" {
		t.Errorf("compare of nothing with nothing: %q", got)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-follows", "0"}, {"-posts", "-1"}, {"-capacity", "0"}, {"extra"}, {"-nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q) succeeded", args)
		}
	}
}
