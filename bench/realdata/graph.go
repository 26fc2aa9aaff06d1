package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/internal/cli/edgelist"
	"example.com/relationindex/internal/cli/importer"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/test/chaos"
)

// dataSet is where real data can be had. No licence is stated for either set, so
// they are not part of the project.
type dataSet struct {
	about string     // a page that describes it
	files [][]string // the names that each may have; the first can be downloaded
}

const snap = "https://snap.stanford.edu/data/"

var (
	// higgs: De Domenico, Lima, Mougel and Musolesi, "The Anatomy of a Scientific
	// Rumor", Scientific Reports 3, 2980 (2013). "FOLLOWER FOLLOWED", of which the
	// first part will do, and "ACTOR TARGET UNIXTIME TYPE", sorted by time, each row
	// of which is a post of ACTOR here.
	higgs = dataSet{snap + "higgs-twitter.html", [][]string{
		{"higgs-social_network.edgelist.gz", "higgs-social_network.PARTIAL.edgelist.gz"},
		{"higgs-activity_time.txt.gz"},
	}}
	// epinions: Richardson, Agrawal and Domingos, "Trust Management for the Semantic
	// Web", ISWC 2003. Who trusts whom: FROM follows TO.
	epinions = dataSet{snap + "soc-Epinions1.html", [][]string{{"soc-Epinions1.txt.gz"}}}
)

// The columns of the files, as the import command takes them.
const (
	followColumns = "follower=1,followed=2"
	postColumns   = "author=1,createdAt=3"
)

// find finds the files in a directory. Its error says where to get those that
// are not there.
func (s dataSet) find(dir string) (paths []string, err error) {
	var missing []string
	for _, names := range s.files {
		before := len(paths)
		for _, name := range names {
			path := filepath.Join(dir, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				paths = append(paths, path)
				break
			}
		}
		if len(paths) == before {
			missing = append(missing, fmt.Sprintf("  %s\n    %s", filepath.Join(dir, names[0]), snap+names[0]))
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("files are missing; download each to its place (they are described at %s):\n%s",
			s.about, strings.Join(missing, "\n"))
	}
	return paths, nil
}

// graph is what the files say.
type graph struct {
	Follows   map[string]map[string]bool // reader → authors
	posts     map[string][]chaos.Entry   // by author
	follows   int                        // different ones
	followers map[string]int             // of each account
}

// readFollows reads follows until there are most different ones; 0: all of them.
// Each row's document is told to row, also those of a follow that comes again.
func readFollows(file string, most int, row func(importer.Document)) (*graph, error) {
	g := &graph{Follows: map[string]map[string]bool{}, posts: map[string][]chaos.Entry{}, followers: map[string]int{}}
	columns, err := importer.FollowColumns(followColumns)
	if err != nil {
		return nil, err
	}
	err = read(file, func(in io.Reader) documents {
		return importer.Follows(file, in, columns, names.Collections{})
	}, func(d importer.Document) bool {
		row(d)
		follower, followed := d.Row.Get("follower"), d.Row.Get("followed")
		if !g.Follows[follower][followed] {
			if g.Follows[follower] == nil {
				g.Follows[follower] = map[string]bool{}
			}
			g.Follows[follower][followed] = true
			g.followers[followed]++
			g.follows++
		}
		return g.follows != most
	})
	if err == nil && (g.follows == 0 || g.follows < most) {
		err = fmt.Errorf("%s: %d follows, want %d", file, g.follows, max(most, 1))
	}
	return g, err
}

// readPosts reads most posts of accounts with more than capacity followers, and adds none of them.
func (g *graph) readPosts(file string, most, capacity int) (posts []importer.Document, err error) {
	columns, err := importer.PostColumns(postColumns)
	if err != nil {
		return nil, err
	}
	err = read(file, func(in io.Reader) documents {
		return importer.Posts(file, in, columns, names.Collections{})
	}, func(d importer.Document) bool {
		if g.followers[d.Row.Get("author")] > capacity {
			posts = append(posts, d)
		}
		return len(posts) != most
	})
	if err == nil && len(posts) < most {
		err = fmt.Errorf("%d posts of accounts with more than %d followers among %d follows, want %d: ask for more follows, fewer posts, or a smaller capacity",
			len(posts), capacity, g.follows, most)
	}
	return posts, err
}

// add adds posts to the feeds.
func (g *graph) add(posts []importer.Document) {
	for _, d := range posts {
		author := d.Row.Get("author")
		g.posts[author] = append(g.posts[author], chaos.Entry{Post: postOf(d), CreatedAt: d.Data["createdAt"].(time.Time)})
	}
}

// moveTo moves posts in time, so that the middle one is of a time.
func moveTo(posts []importer.Document, middle time.Time) {
	created := make([]time.Time, len(posts))
	for n, d := range posts {
		created[n] = d.Data["createdAt"].(time.Time)
	}
	slices.SortFunc(created, time.Time.Compare)
	by := middle.Truncate(time.Microsecond).Sub(created[len(created)/2])
	for _, d := range posts {
		d.Data["createdAt"] = d.Data["createdAt"].(time.Time).Add(by)
	}
}

// Feed is every post that reaches the reader, newest first, and those of one time by id: the plain join.
func (g *graph) Feed(reader string) (feed []chaos.Entry) {
	for author := range g.Follows[reader] {
		feed = append(feed, g.posts[author]...)
	}
	slices.SortFunc(feed, func(a, b chaos.Entry) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Post, a.Post))
	})
	return feed
}

// postOf is the id of a post.
func postOf(d importer.Document) string { return strings.TrimPrefix(d.Path, "posts/") }

type documents = iter.Seq2[importer.Document, error]

// read takes the documents of a file until take returns false. The data sets have
// accounts that follow themselves, which is no follow here.
func read(file string, parse func(io.Reader) documents, take func(importer.Document) bool) error {
	in, err := edgelist.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	for d, err := range parse(in) {
		if errors.Is(err, importer.ErrSelfFollow) {
			continue
		}
		if err != nil {
			return err
		}
		if !take(d) {
			break
		}
	}
	return nil
}
