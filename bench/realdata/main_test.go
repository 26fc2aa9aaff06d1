package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// higgsDir has files of the data set's names: 5 readers of 3 authors, 4 of whom
// follow the first, and 60 posts of them in turn, two in each second.
func higgsDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	zipped(t, filepath.Join(dir, higgs.files[0][1]), "1 101\n2 101\n1 101\n1 102\n3 101\n2 102\n3 102\n101 101\n4 101\n5 103\n1 2\n")
	var activity strings.Builder
	for n := range 60 {
		fmt.Fprintf(&activity, "%d 1 %d RT\n", 101+n%3, 1341100000+n/2)
	}
	zipped(t, filepath.Join(dir, higgs.files[1][0]), activity.String())
	return dir
}

func zipped(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	zip := gzip.NewWriter(f)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestGraphIsTheJoin(t *testing.T) {
	files, err := higgs.find(higgsDir(t))
	if err != nil {
		t.Fatal(err)
	}
	g, err := readFollows(files[0], 9)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"101": 4, "102": 3, "103": 1, "2": 1}, g.followers); diff != "" {
		t.Errorf("followers (-want +got):\n%s", diff)
	}
	_, err = g.readPosts(files[1], 41, 2)
	if err == nil || !strings.Contains(err.Error(), "40 posts of accounts with more than 2 followers among 9") {
		t.Errorf("more posts than there are: %v", err)
	}
	if feeds := []int{len(g.Feed("4")), len(g.Feed("1")), len(g.Feed("5"))}; !cmp.Equal(feeds, []int{20, 40, 0}) {
		t.Errorf("feeds of %v posts, want 20, 40 and 0", feeds)
	}
}

func TestMissingFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []dataSet{higgs, epinions} {
		_, err := set.find(dir)
		for _, names := range set.files {
			for _, want := range []string{filepath.Join(dir, names[0]), snap + names[0], set.about} {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %s: %v", want, err)
				}
			}
		}
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	for _, args := range [][]string{{"-follows", "0"}, {"-posts", "-1"}, {"-capacity", "0"}, {"extra"}, {"-nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q) succeeded", args)
		}
	}
}
