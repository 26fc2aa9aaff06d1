package config

import (
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

func TestReadEnvironment(t *testing.T) {
	got, err := ReadEnvironment(strings.NewReader("\ufeff# a comment\n\nA=b\n export  C = 'd e' \nF=\"\"\nG=a=b\nH='\nA=c\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := Environment{"A": "c", "C": "d e", "F": "", "G": "a=b", "H": "'"}
	if diff := gocmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, bad := range []string{"A", "=b", "A B=c", "A: b"} {
		if _, err := ReadEnvironment(strings.NewReader("X=y\n" + bad)); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: %v, want an error that names line 2", bad, err)
		}
	}
}
