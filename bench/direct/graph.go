package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/relationindex/internal/edgelist"
	"example.com/relationindex/internal/importer"
	"example.com/relationindex/relations"
)

// source is where the graph can be had: Richardson, Agrawal and Domingos, "Trust
// Management for the Semantic Web", ISWC 2003. Its licence is not stated, so it is
// not part of the project.
const source = "https://snap.stanford.edu/data/soc-Epinions1.html"

const (
	fileName     = "soc-Epinions1.txt.gz"
	fileURL      = "https://snap.stanford.edu/data/soc-Epinions1.txt.gz"
	graphColumns = "follower=1,followed=2" // who trusts whom: FROM follows TO
)

// graph is what the file says, read before it is imported.
type graph struct {
	file             string
	follows, authors int64
	sample           []string // paths of some follower documents, from all over the file
	star             star
}

// star is the most followed account of a graph.
type star struct {
	id                   string
	followers, following int64
}

// maxSample is the most that a sample holds.
const maxSample = 200

// load finds the file in a directory and counts its follows. The error of a file
// that is not there says where to get it.
func load(dir string) (graph, error) {
	g := graph{file: filepath.Join(dir, fileName)}
	in, err := edgelist.Open(g.file)
	if errors.Is(err, os.ErrNotExist) {
		return g, fmt.Errorf("a file is missing; download it to its place (it is described at %s):\n  %s\n    %s", source, g.file, fileURL)
	}
	if err != nil {
		return g, err
	}
	defer in.Close()
	columns, err := importer.FollowColumns(graphColumns)
	if err != nil {
		return g, err
	}
	follows, authors, following := map[string]bool{}, map[string]int64{}, map[string]int64{}
	for d, err := range importer.Follows(g.file, in, columns, relations.Collections{}) {
		if errors.Is(err, importer.ErrSelfFollow) {
			continue
		}
		if err != nil {
			return g, err
		}
		if follows[d.Path] {
			continue // twice in the file
		}
		follows[d.Path] = true
		authors[d.Row.Get("followed")]++
		following[d.Row.Get("follower")]++
	}
	for id, n := range authors {
		if n > g.star.followers || n == g.star.followers && id < g.star.id {
			g.star = star{id, n, following[id]}
		}
	}
	g.follows, g.authors = int64(len(follows)), int64(len(authors))
	if g.follows == 0 {
		return g, fmt.Errorf("%s: no follows", g.file)
	}
	for path := range follows { // in no order
		if g.sample = append(g.sample, path); len(g.sample) == maxSample {
			break
		}
	}
	return g, nil
}
