package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/internal/importer"
)

// post is a post in a feed.
type post struct {
	id        string
	createdAt time.Time
}

// expected is what the files say, found without the importer's parser and
// without anything of the index.
type expected struct {
	follows   int64
	rows      int64                      // that the follows take, some twice
	followers map[string]int             // of each account
	following map[string]map[string]bool // whom each reader follows
	posts     map[int]bool               // lines of the activity file
	byAuthor  map[string][]post
}

func (e *expected) authors() int { return len(e.byAuthor) }

// load reads as many follows and posts as o wants.
func load(in input, o options) (*expected, error) {
	e := &expected{
		followers: map[string]int{}, following: map[string]map[string]bool{},
		posts: map[int]bool{}, byAuthor: map[string][]post{},
	}
	for row, err := range rows(in.graph, 2) {
		if err != nil {
			return nil, err
		}
		if e.follow(row.fields); e.follows == o.follows {
			break
		}
	}
	for row, err := range rows(in.activity, 3) {
		if err != nil {
			return nil, err
		}
		if err := e.post(row, o.capacity); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", in.activity, row.line, err)
		}
		if int64(len(e.posts)) == o.posts {
			break
		}
	}
	if e.follows < o.follows || int64(len(e.posts)) < o.posts {
		return nil, fmt.Errorf("%d follows and %d posts of accounts with more than %d followers among them, want %d and %d: ask for more follows, fewer posts, or a smaller capacity",
			e.follows, len(e.posts), o.capacity, o.follows, o.posts)
	}
	return e, nil
}

// follow takes a row of the graph. The data set has accounts that follow
// themselves, which is no follow here.
func (e *expected) follow(fields []string) {
	follower, followed := fields[0], fields[1]
	if follower == followed {
		return
	}
	e.rows++
	if e.following[follower][followed] {
		return
	}
	if e.following[follower] == nil {
		e.following[follower] = map[string]bool{}
	}
	e.following[follower][followed] = true
	e.followers[followed]++
	e.follows++
}

// post takes a row of the activity if its author has more followers than an
// index document holds.
func (e *expected) post(row row, capacity int) error {
	author := row.fields[0]
	if e.followers[author] <= capacity {
		return nil
	}
	seconds, err := strconv.ParseInt(row.fields[2], 10, 64)
	if err != nil {
		return err
	}
	at := time.Unix(seconds, 0).UTC()
	e.posts[row.line] = true
	e.byAuthor[author] = append(e.byAuthor[author], post{importer.PostID(author, at, row.line), at})
	return nil
}

// feed is the join: every post of everyone that the reader follows, newest
// first, posts of one second by id.
func (e *expected) feed(reader string) []post {
	var feed []post
	for author := range e.following[reader] {
		feed = append(feed, e.byAuthor[author]...)
	}
	slices.SortFunc(feed, newestFirst)
	return feed
}

func newestFirst(a, b post) int {
	return cmp.Or(b.createdAt.Compare(a.createdAt), cmp.Compare(a.id, b.id))
}

// row is a line of white-space-separated fields.
type row struct {
	line   int
	fields []string
}

// rows are the lines of a gzip file that have at least as many fields.
func rows(path string, fields int) iter.Seq2[row, error] {
	return func(yield func(row, error) bool) {
		f, err := os.Open(path) //nolint:gosec // who names it runs this with their own rights
		if err != nil {
			yield(row{}, err)
			return
		}
		defer f.Close()
		unzipped, err := gzip.NewReader(f)
		if err != nil {
			yield(row{}, fmt.Errorf("%s: %w", path, err))
			return
		}
		if err := scan(unzipped, fields, yield); err != nil {
			yield(row{}, fmt.Errorf("%s: %w", path, err))
		}
	}
}

// scan yields the rows of a text. An error is the text's, after its last row.
func scan(in io.Reader, least int, yield func(row, error) bool) error {
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		fields := strings.Fields(lines.Text())
		if len(fields) >= least && !yield(row{n, fields}, nil) {
			return nil
		}
	}
	return lines.Err()
}
