package main

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/testkit/clients"
)

// dataSet describes where to get real data. Neither set states a licence, so they are not part of the
// project.
type dataSet struct {
	about string     // a page that describes it
	files [][]string // the possible names of each file; the first can be downloaded
}

const snap = "https://snap.stanford.edu/data/"

var (
	// higgs: De Domenico, Lima, Mougel and Musolesi, "The Anatomy of a Scientific Rumor", Scientific
	// Reports 3, 2980 (2013). The first file has rows "FOLLOWER FOLLOWED"; its first part is enough. The
	// second has rows "ACTOR TARGET UNIXTIME TYPE", sorted by time. Here, each such row is a post of
	// ACTOR.
	higgs = dataSet{snap + "higgs-twitter.html", [][]string{
		{"higgs-social_network.edgelist.gz", "higgs-social_network.PARTIAL.edgelist.gz"},
		{"higgs-activity_time.txt.gz"},
	}}
	// epinions: Richardson, Agrawal and Domingos, "Trust Management for the Semantic Web", ISWC 2003. A
	// row says that FROM trusts TO; here, FROM follows TO.
	epinions = dataSet{snap + "soc-Epinions1.html", [][]string{{"soc-Epinions1.txt.gz"}}}
)

// document is a client's document: a follow or a post.
type document struct {
	path string         // below the database
	data map[string]any // its fields
}

// find finds the files in a directory. An error says where to get the missing ones.
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

// graph has the contents of the files.
type graph struct {
	Follows   map[string]map[string]bool // reader → authors
	posts     map[string][]clients.Entry // by author
	follows   int                        // number of different follows
	followers map[string]int             // of each account
}

// readFollows reads follows until there are most different ones; 0: all of them. The data sets have
// accounts that follow themselves. These are skipped.
func readFollows(file string, most int) (*graph, error) {
	g := &graph{Follows: map[string]map[string]bool{}, posts: map[string][]clients.Entry{}, followers: map[string]int{}}
	err := read(file, 2, func(columns []string) (bool, error) {
		follower, followed := columns[0], columns[1]
		if follower == followed || g.Follows[follower][followed] {
			return true, nil
		}
		if g.Follows[follower] == nil {
			g.Follows[follower] = map[string]bool{}
		}
		g.Follows[follower][followed] = true
		g.followers[followed]++
		g.follows++
		return g.follows != most, nil
	})
	if err == nil && (g.follows == 0 || g.follows < most) {
		err = fmt.Errorf("%s: %d follows, want %d", file, g.follows, max(most, 1))
	}
	return g, err
}

// readPosts reads most posts of accounts with more than capacity followers, and returns their documents.
func (g *graph) readPosts(file string, most, capacity int) (documents []document, err error) {
	line := 0
	err = read(file, 3, func(columns []string) (bool, error) {
		line++
		author := columns[0]
		seconds, err := strconv.ParseInt(columns[2], 10, 64)
		if err != nil {
			return false, fmt.Errorf("time: %w", err)
		}
		if g.followers[author] > capacity {
			post := clients.Entry{Post: fmt.Sprintf("%s-%d", author, line), CreatedAt: time.Unix(seconds, 0).UTC()}
			g.posts[author] = append(g.posts[author], post)
			documents = append(documents, document{"posts/" + post.Post, map[string]any{
				"userId": author, "audience": author, "hidden": false, "createdAt": post.CreatedAt,
			}})
		}
		return len(documents) != most, nil
	})
	if err == nil && len(documents) < most {
		err = fmt.Errorf("%d posts of accounts with more than %d followers among %d follows, want %d: ask for more follows, fewer posts, or a smaller capacity",
			len(documents), capacity, g.follows, most)
	}
	return documents, err
}

// Feed returns every post that reaches the reader, newest first, and at equal times by id: the plain
// join.
func (g *graph) Feed(reader string) (feed []clients.Entry) {
	for author := range g.Follows[reader] {
		feed = append(feed, g.posts[author]...)
	}
	slices.SortFunc(feed, func(a, b clients.Entry) int {
		return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Post, a.Post))
	})
	return feed
}

// read calls take with the columns of each line, at least least, until take returns false. Lines that
// begin with # are comments.
func read(file string, least int, take func(columns []string) (more bool, err error)) error {
	f, err := os.Open(file) //nolint:gosec // a file of the person who measures
	if err != nil {
		return err
	}
	defer f.Close()
	in, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	lines := bufio.NewScanner(in)
	for n := 1; lines.Scan(); n++ {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		columns := strings.Fields(lines.Text())
		if len(columns) < least {
			return fmt.Errorf("%s:%d: %d columns, want %d", file, n, len(columns), least)
		}
		if more, err := take(columns); err != nil {
			return fmt.Errorf("%s:%d: %w", file, n, err)
		} else if !more {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}
