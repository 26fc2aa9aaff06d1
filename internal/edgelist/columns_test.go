package edgelist

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseColumns(t *testing.T) {
	follows := []string{"follower", "followed"}
	tests := []struct {
		name     string
		spec     string
		required []string
		optional []string
		want     string // what String returns
		wantErr  string
	}{
		{
			name: "required names in order", spec: "follower=1,followed=2",
			required: follows,
			want:     "follower=1,followed=2",
		},
		{
			name: "any order, spaces around", spec: " followed = 1 , follower=1000 ",
			required: follows,
			want:     "followed=1,follower=1000",
		},
		{
			name: "two names share a column", spec: "follower=1,followed=1",
			required: follows,
			want:     "follower=1,followed=1",
		},
		{
			name: "an optional name is there", spec: "author=1,time=3",
			required: []string{"author"}, optional: []string{"time"},
			want: "author=1,time=3",
		},
		{
			name: "an optional name is left out", spec: "author=1",
			required: []string{"author"}, optional: []string{"time"},
			want: "author=1",
		},
		{
			name: "empty", spec: " ",
			required: follows,
			wantErr:  `columns " ": want at least one name=number; for example "follower=1,followed=2"`,
		},
		{
			name: "empty, all names optional", spec: "",
			optional: []string{"author", "time"},
			wantErr:  `columns "": want at least one name=number; for example "author=1,time=2"`,
		},
		{
			name: "a required name is missing", spec: "follower=1",
			required: follows,
			wantErr:  `columns "follower=1": followed is missing; for example "follower=1,followed=2"`,
		},
		{
			name: "no number", spec: "follower,followed=2",
			required: follows,
			wantErr:  `columns "follower,followed=2": "follower" is not name=number; for example "follower=1,followed=2"`,
		},
		{
			name: "comma at the end", spec: "follower=1,followed=2,",
			required: follows,
			wantErr:  `columns "follower=1,followed=2,": "" is not name=number; for example "follower=1,followed=2"`,
		},
		{
			name: "unknown name", spec: "folower=1,followed=2",
			required: follows, optional: []string{"time"},
			wantErr: `columns "folower=1,followed=2": unknown name "folower", want one of follower, followed, time; for example "follower=1,followed=2"`,
		},
		{
			name: "a name twice", spec: "follower=1,follower=2",
			required: follows,
			wantErr:  `columns "follower=1,follower=2": follower is there twice; for example "follower=1,followed=2"`,
		},
		{
			name: "number zero", spec: "follower=0,followed=2",
			required: follows,
			wantErr:  `columns "follower=0,followed=2": follower is column "0", want a whole number from 1 to 1000; for example "follower=1,followed=2"`,
		},
		{
			name: "number too high", spec: "follower=1,followed=1001",
			required: follows,
			wantErr:  `columns "follower=1,followed=1001": followed is column "1001", want a whole number from 1 to 1000; for example "follower=1,followed=2"`,
		},
		{
			name: "not a number", spec: "follower=a,followed=b",
			required: follows,
			wantErr:  `columns "follower=a,followed=b": follower is column "a", want a whole number from 1 to 1000; for example "follower=1,followed=2"`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			columns, err := ParseColumns(test.spec, test.required, test.optional...)
			if diff := cmp.Diff(test.wantErr, errorText(err)); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, columns.String()); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

// errorText returns what err says, and "" for no error.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// mustParseColumns is ParseColumns for specs that are right.
func mustParseColumns(tb testing.TB, spec string, required []string, optional ...string) Columns {
	tb.Helper()
	columns, err := ParseColumns(spec, required, optional...)
	if err != nil {
		tb.Fatal(err)
	}
	return columns
}
