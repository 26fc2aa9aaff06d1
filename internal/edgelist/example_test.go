package edgelist_test

import (
	"errors"
	"fmt"
	"io/fs"
	"log"
	"strings"
	"time"

	"example.com/relationindex/internal/edgelist"
)

func Example() {
	const graph = `# follower followed
alice	carol
bob
"dora","carol"
`
	columns, err := edgelist.ParseColumns("follower=1,followed=2", []string{"follower", "followed"})
	if err != nil {
		log.Fatal(err)
	}
	for row, err := range edgelist.Rows("graph.txt", strings.NewReader(graph), columns) {
		if bad, ok := errors.AsType[*edgelist.RowError](err); ok {
			fmt.Println("skipped", bad)
			continue
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(row.Get("follower"), "follows", row.Get("followed"))
	}
	// Output:
	// alice follows carol
	// skipped graph.txt:3: 1 column, need 2 (followed=2)
	// dora follows carol
}

func ExampleParseColumns() {
	_, err := edgelist.ParseColumns("follower=0,followed=2", []string{"follower", "followed"})
	fmt.Println(err)
	// Output:
	// columns "follower=0,followed=2": follower is column "0", want a whole number from 1 to 1000; for example "follower=1,followed=2"
}

// An optional column may be missing from a row, or from the spec.
func ExampleRow_Get() {
	columns, err := edgelist.ParseColumns("author=1,time=3", []string{"author"}, "time", "text")
	if err != nil {
		log.Fatal(err)
	}
	posts := strings.NewReader("alice,x,1341100972\nbob\n")
	for row, err := range edgelist.Rows("posts.csv", posts, columns) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d %q %q %q\n", row.Line, row.Get("author"), row.Get("time"), row.Get("text"))
	}
	// Output:
	// 1 "alice" "1341100972" ""
	// 2 "bob" "" ""
}

// A caller reports a value that it refuses as the error of its row.
func ExampleRowError() {
	if err := edgelist.ParseID("a/b"); err != nil {
		fmt.Println(&edgelist.RowError{File: "graph.txt", Line: 17, Reason: err.Error()})
	}
	// Output:
	// graph.txt:17: id "a/b": it contains a slash, which separates the parts of a path
}

func ExampleOpen() {
	_, err := edgelist.Open("no-such-graph.txt.gz")
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// true
}

func ExampleParseTime() {
	for _, s := range []string{"1341100972", "1341100972250", "2012-07-01T02:02:52+02:00", "yesterday"} {
		t, err := edgelist.ParseTime(s)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t.Format(time.RFC3339Nano))
	}
	// Output:
	// 2012-07-01T00:02:52Z
	// 2012-07-01T00:02:52.25Z
	// 2012-07-01T00:02:52Z
	// time "yesterday": want Unix seconds, Unix milliseconds or RFC 3339, as in 1341100972, 1341100972250 or 2012-07-01T00:02:52Z
}

func ExampleParseID() {
	fmt.Println(edgelist.ParseID("223789"))
	fmt.Println(edgelist.ParseID("__name__"))
	// Output:
	// <nil>
	// id "__name__": it begins and ends with two underscores, which Firestore reserves
}
