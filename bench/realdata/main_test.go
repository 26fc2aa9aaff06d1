package main

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/test/chaos"
	"example.com/relationindex/timelines/layout"
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

// epinionsDir has a graph in a file of the data set's name: 5,000 follows of 500 accounts.
func epinionsDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text := "# FromNodeId\tToNodeId\r\n"
	for n := range 5000 {
		text += fmt.Sprintf("%d\t%d\r\n", 1000+n/10, n%500)
	}
	zipped(t, filepath.Join(dir, epinions.files[0][0]), text)
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

// Both checks on a small graph.
func TestCheck(t *testing.T) {
	for name, test := range map[string]struct {
		args     []string
		verified int
		want     []string
	}{
		// Readers 1, 2 and 3 follow both authors with more than two followers, 4 one of them.
		"through triggers": {[]string{"-data", higgsDir(t), "-follows", "9", "-posts", "40", "-capacity", "2"}, 1, []string{
			"9 follows of 4 accounts by 5 readers; 40 posts", "feeds compared: 5, posts in them: 140, differences: 0\n",
		}},
		"with a horizon": {[]string{"-data", higgsDir(t), "-follows", "9", "-posts", "40", "-capacity", "2", "-horizon", "48h"}, 1, []string{
			"feeds     by pull\n", "feeds compared: 5, posts in them: 140, differences: 0\n", "inside 48h0m0s: ",
		}},
		"ring": {timelineArgs(t, "ring"), 1, []string{"3 of them capped", "timelines compared: 5, posts in them: ", "differences: 0\n"}},
		"days": {timelineArgs(t, "days"), 1, []string{"timelines compared: 5, posts in them: 140, differences: 0\n"}},
		"directly": {[]string{"-data", epinionsDir(t), "-direct", "-follows", "300"}, 3, []string{
			"5000 follows of 500 accounts", "again     5000 rows", "triggers  300 rows", "300 events handled",
			"the functions' writes: 0, deletes: 0\n", "receipt   followers 10, following 0, index documents 1",
			`trace: "0" is named in 0 places`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if err := check(t.Context(), append(test.args, "-heap", "1g"), &out); err != nil {
				t.Fatalf("%v\n%s", err, out.String())
			}
			for _, want := range test.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("it does not print %q:\n%s", want, out.String())
				}
			}
			n := strings.Count(out.String(), "verify: 0 violations\n") + strings.Count(out.String(), "verify-timelines: 0 problems\n")
			if n != test.verified {
				t.Errorf("verify had the last word %d times, want %d:\n%s", n, test.verified, out.String())
			}
		})
	}
}

func timelineArgs(t *testing.T, form string) []string {
	return []string{"-data", higgsDir(t), "-follows", "9", "-posts", "40", "-capacity", "2", "-timeline", form}
}

// A timeline with a cap has the newest posts.
func TestCompareWithJoin(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var want []chaos.Entry
	for n, id := range []string{"e", "d", "c", "b", "a"} {
		want = append(want, chaos.Entry{Post: id, CreatedAt: at.Add(-time.Duration(n) * time.Second)})
	}
	entry := func(id string, sequence int64) layout.Entry {
		n := slices.IndexFunc(want, func(e chaos.Entry) bool { return e.Post == id })
		return layout.Entry{Post: id, At: want[n].CreatedAt.UnixMicro(), Sequence: sequence}
	}
	for name, c := range map[string]struct {
		got   []layout.Entry
		limit int
		want  string
	}{
		"all":                         {[]layout.Entry{entry("e", 2), entry("d", 2), entry("c", 1), entry("b", 1), entry("a", 1)}, 0, ""},
		"one is missing":              {[]layout.Entry{entry("e", 2), entry("d", 2), entry("c", 1), entry("b", 1)}, 0, "a ("},
		"the newest":                  {[]layout.Entry{entry("e", 1), entry("d", 1)}, 2, ""},
		"an older one":                {[]layout.Entry{entry("e", 2), entry("c", 1)}, 2, "d ("},
		"fewer than the cap":          {[]layout.Entry{entry("e", 1)}, 2, "d ("},
		"more than the cap":           {[]layout.Entry{entry("e", 1), entry("d", 1), entry("c", 1)}, 2, ""},
		"one that is in the way":      {[]layout.Entry{entry("e", 1), {Post: "x"}}, 2, "x is there"},
		"another time":                {[]layout.Entry{{Post: "e", At: 7}}, 1, "e stands at"},
		"one twice":                   {[]layout.Entry{entry("e", 2), entry("e", 1)}, 2, "e is there twice"},
		"a bucket in another order":   {[]layout.Entry{entry("d", 1), entry("e", 1)}, 2, "comes after d"},
		"nothing, where there is one": {nil, 1, "e ("},
	} {
		t.Run(name, func(t *testing.T) {
			got := compareWithJoin(c.got, want, c.limit)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestGraphIsTheJoin(t *testing.T) {
	files, err := higgs.find(higgsDir(t))
	if err != nil {
		t.Fatal(err)
	}
	g, err := readFollows(files[0], 9, func(document) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]int{"101": 4, "102": 3, "103": 1, "2": 1}, g.followers); diff != "" {
		t.Errorf("followers (-want +got):\n%s", diff)
	}
	posts, err := g.readPosts(files[1], 41, 2)
	g.add(posts)
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
	for _, args := range [][]string{{"-follows", "0"}, {"-posts", "-1"}, {"-capacity", "0"}, {"-timeline", "weeks"}, {"-timeline", "items", "-direct"}, {"-timeline", "items", "-storage"}, {"-direct", "-storage"}, {"-portion", "0"}, {"-timeline", "days", "-horizon", "48h"}, {"-change"}, {"extra"}, {"-nonsense"}} {
		if _, err := parse(args); err == nil {
			t.Errorf("parse(%q) succeeded", args)
		}
	}
}
