package files_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/schema/names"
)

// told is a sequence of documents and errors as text.
func told(documents func(yield func(files.Document, error) bool)) []string {
	var out []string
	for d, err := range documents {
		var bad *rows.RowError
		switch {
		case errors.As(err, &bad):
			out = append(out, "malformed "+bad.Error())
		case err != nil:
			out = append(out, "error "+err.Error())
		default:
			out = append(out, fmt.Sprintf("%d %s", d.Row.Line, d.Path))
		}
	}
	return out
}

func TestFollows(t *testing.T) {
	text := "bob alice\n# comment\nalice\na/b alice\nbob ..\nbob bob\n" + strings.Repeat("x", 1501) + " alice\nзоя алиса\n"
	c := names.Collections{Users: "people", Followers: "fans"}
	kind := files.Follows(c)
	got := told(kind.Documents(rows.Rows("graph.txt", strings.NewReader(text), columnsOf(t, kind, "followed=2,follower=1"))))
	want := []string{
		"1 people/alice/fans/bob",
		"malformed graph.txt:3: no followed in column 2",
		`malformed graph.txt:4: follower: id "a/b": it contains a slash, which separates the parts of a path`,
		`malformed graph.txt:5: followed: id "..": it is a single or double dot`,
		"error " + files.ErrSelfFollow.Error(),
		`malformed graph.txt:7: follower: id "` + strings.Repeat("x", 80) + `": it has 1501 bytes, but the limit is 1500`,
		"8 people/алиса/fans/зоя",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestImportedFollowsGetServerTime(t *testing.T) {
	for d, err := range followsOf(t, "bob alice\n") {
		if err != nil || len(d.Data) != 1 || d.Data["createdAt"] != firestore.ServerTimestamp {
			t.Errorf("%v, %v", d.Data, err)
		}
	}
}

func TestPosts(t *testing.T) {
	const text = "alice,1341100972,p1\nalice,soon,p2\n,1341100972,p3\nalice,1341100972,__p4__\nalice,2012-07-01T02:02:52+02:00\n"
	kind := files.Posts(names.Collections{Posts: "notes"})
	spec := columnsOf(t, kind, "author=1,createdAt=2,id=3")
	posts := kind.Documents(rows.Rows("posts.csv", strings.NewReader(text), spec))
	at := time.Unix(1341100972, 0).UTC()
	want := []string{
		"1 notes/p1",
		`malformed posts.csv:2: createdAt: time "soon": must be Unix seconds, Unix milliseconds or RFC 3339, from 1970 to 9999, as in 1341100972, 1341100972250 or 2012-07-01T00:02:52Z`,
		"malformed posts.csv:3: no author in column 1",
		`malformed posts.csv:4: id "__p4__": it begins and ends with two underscores, which Firestore reserves`,
		"5 notes/" + files.PostID("", "alice", at, 5),
	}
	if diff := cmp.Diff(want, told(posts)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for d, err := range kind.Documents(rows.Rows("posts.csv", strings.NewReader(text[:20]), spec)) {
		if diff := cmp.Diff(map[string]any{"userId": "alice", "audience": "alice", "hidden": false, "createdAt": at}, d.Data); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

// An error of the file, not of a row, is the last result.
func TestFileReadErrorComesLast(t *testing.T) {
	broken := errors.New("broken")
	in := &failing{text: "bob alice\ncarol alice\ndave ali", err: broken}
	kind := files.Follows(names.Collections{})
	var last error
	n := 0
	for _, err := range kind.Documents(rows.Rows("graph.txt", in, columnsOf(t, kind, "follower=1,followed=2"))) {
		n++
		last = err
	}
	if n != 3 || !errors.Is(last, broken) {
		t.Errorf("%d rows, the last with %v", n, last)
	}
}

type failing struct {
	text string
	err  error
}

func (f *failing) Read(p []byte) (int, error) {
	n := copy(p, f.text)
	f.text = f.text[n:]
	if n == 0 {
		return 0, f.err
	}
	return n, nil
}

// The id is stored: it must never become another for the same row.
func TestPostID(t *testing.T) {
	at := time.Date(2012, 7, 1, 2, 2, 52, 0, time.FixedZone("", 7200))
	id := files.PostID("", "223789", at, 1)
	if want := "yfngbg5hvh45dhcqe2uglqqxgm"; id != want {
		t.Errorf("PostID = %q, want %q", id, want)
	}
	if again := files.PostID("", "223789", at.UTC(), 1); again != id {
		t.Errorf("in UTC it is %q", again)
	}
	others := map[string]bool{
		files.PostID("", "223789", at, 2): true, files.PostID("", "22378", at, 1): true, files.PostID("", "223789", at.Add(1), 1): true,
	}
	if len(others) != 3 || others[id] {
		t.Errorf("other rows have the ids %v, and this one has %q", others, id)
	}
}
