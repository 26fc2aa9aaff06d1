package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/storagetest"
)

// brokenAfter is the number of bytes after which the server breaks each connection.
const brokenAfter = 512 << 10

// maxRatio is the largest ratio of the times of an import from storage and from a file.
const maxRatio = 1.1

// loadFromStorage imports all from a server of Cloud Storage on loopback, kills the import half-way,
// and runs it again. Then it imports the first rows, alternately from a file and from the server, into
// databases of their own, and compares the times.
func (s *system) loadFromStorage(ctx context.Context, g *graph, file string) error {
	content, err := os.ReadFile(file) //nolint:gosec // who names the folder runs this
	if err != nil {
		return err
	}
	server := storagetest.Start(brokenAfter)
	defer server.Close()
	server.Put("realdata", filepath.Base(file), "", content)
	s.storageHost = server.Host
	object := "gs://realdata/" + filepath.Base(file)
	if err := s.importTwice(ctx, g, object); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "storage   %d bytes, in connections of at most %d: they began at %v\n", len(content), int64(brokenAfter), server.Reads())
	if err := testkit.Clear(ctx, s.Emulator.FirestoreHost(), projectID); err != nil {
		return err
	}
	var took [2]float64 // seconds from the file and from storage
	for round, source := range []int{0, 1, 1, 0} {
		from := []string{file, object}[source]
		project := fmt.Sprintf("%s-%d", projectID, round)
		c, err := s.startImport(ctx, project, from, "--limit", fmt.Sprint(s.options.portion))
		if err != nil {
			return err
		}
		i, err := c.finish()
		if err != nil {
			return err
		}
		seconds := float64(i.Imported) / i.EdgesPerSecond
		took[source] += seconds
		fmt.Fprintf(s.out, "portion   %d rows in %.1f s: %.0f edges/s, from %s\n", i.Imported, seconds, i.EdgesPerSecond, from)
		if err := testkit.Clear(ctx, s.Emulator.FirestoreHost(), project); err != nil {
			return err
		}
	}
	ratio := took[1] / took[0]
	fmt.Fprintf(s.out, "ratio     storage to file: %.2f\n", ratio)
	if ratio > maxRatio {
		return fmt.Errorf("from storage the import took %.2f times as long as from a file, at most %.1f is allowed", ratio, maxRatio)
	}
	return nil
}
