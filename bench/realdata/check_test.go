//go:build long

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

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

// Both checks on a small graph.
func TestRealDataOnASmallGraph(t *testing.T) {
	for name, test := range map[string]struct {
		args     []string
		verified int
		want     []string
	}{
		// Readers 1, 2 and 3 follow both authors with more than two followers, 4 one of them.
		"through triggers": {[]string{"-data", higgsDir(t), "-follows", "9", "-posts", "40", "-capacity", "2"}, 1, []string{
			"9 follows of 4 accounts by 5 readers; 40 posts", "feeds compared: 5, posts in them: 140, differences: 0\n",
		}},
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
			if n := strings.Count(out.String(), "verify: 0 violations\n"); n != test.verified {
				t.Errorf("verify had the last word %d times, want %d:\n%s", n, test.verified, out.String())
			}
		})
	}
}
