package program

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Update says that tests write what commands print to the files of testdata.
var Update = flag.Bool("update", false, "write what commands print to the files of testdata")

// Golden compares got with a file, or writes the file.
func Golden(t *testing.T, file, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got; go test -run %s -update)\n%s", t.Name(), diff)
	}
}
