package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// source is where the data set can be had. Its licence is not stated, so it is
// not part of the project.
const source = "https://snap.stanford.edu/data/higgs-twitter.html"

// input are the files of the data set: De Domenico, Lima, Mougel and Musolesi,
// "The Anatomy of a Scientific Rumor", Scientific Reports 3, 2980 (2013).
type input struct {
	graph    string // "FOLLOWER FOLLOWED"
	activity string // "ACTOR TARGET UNIXTIME TYPE", sorted by time; each row is a post of ACTOR here
}

// The names that each file may have. The first part of the graph will do.
var (
	graphNames    = []string{"higgs-social_network.edgelist.gz", "higgs-social_network.PARTIAL.edgelist.gz"}
	activityNames = []string{"higgs-activity_time.txt.gz"}
)

// The columns of both files, as the import command takes them.
const (
	graphColumns    = "follower=1,followed=2"
	activityColumns = "author=1,createdAt=3"
)

// find finds the files in a directory. Its error says where to get those that
// are not there.
func find(dir string) (input, error) {
	var in input
	var missing []string
	look := func(path *string, names []string) {
		for _, name := range names {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				*path = filepath.Join(dir, name)
				return
			}
		}
		missing = append(missing, fmt.Sprintf("  %s\n    https://snap.stanford.edu/data/%s", filepath.Join(dir, names[0]), names[0]))
	}
	look(&in.graph, graphNames)
	look(&in.activity, activityNames)
	if len(missing) > 0 {
		return input{}, fmt.Errorf("files are missing; download each to its place (they are described at %s):\n%s",
			source, strings.Join(missing, "\n"))
	}
	return in, nil
}
