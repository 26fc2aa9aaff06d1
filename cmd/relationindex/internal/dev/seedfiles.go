package dev

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"example.com/relationindex/cmd/relationindex/internal/files"
	"example.com/relationindex/schema/names"
)

// kind is a kind of files in a folder of --seed.
type kind struct {
	begins  string       // prefix of the files' names
	columns rows.Columns // in the order of a file without a header
	of      func(names.Collections) files.Kind
}

var (
	followFiles = kind{"follows", rows.InOrder([]string{"follower", "followed"}, nil), files.Follows}
	postFiles   = kind{"posts", rows.InOrder([]string{"author", "createdAt"}, []string{"text"}, "id"), files.Posts}
)

// files returns the sorted paths of the files of a kind in a folder.
func (k kind) files(folder string) ([]string, error) {
	var found []string
	for _, extension := range []string{"csv", "txt", "gz"} {
		some, err := filepath.Glob(filepath.Join(escaped(folder), k.begins+"*."+extension))
		if err != nil {
			return nil, fmt.Errorf("--seed %s: %w", folder, err)
		}
		found = append(found, some...)
	}
	slices.Sort(found)
	return found, nil
}

// escaped returns a pattern that matches only the path.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// documents returns the documents of all files. It skips accounts that follow themselves, and ends at any other
// malformed row.
func (k kind) documents(ctx context.Context, paths []string, c names.Collections) iter.Seq2[files.Document, error] {
	return func(yield func(files.Document, error) bool) {
		for d, err := range k.of(c).Documents(k.rows(ctx, paths)) {
			if errors.Is(err, files.ErrSelfFollow) {
				continue
			}
			if bad, ok := errors.AsType[*rows.RowError](err); ok {
				err = errors.New(bad.Error()) // Import would skip a RowError
			}
			if text := d.Row.Get("text"); err == nil && text != "" {
				d.Data["text"] = text
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// rows returns the rows of all files.
func (k kind) rows(ctx context.Context, paths []string) iter.Seq2[rows.Row, error] {
	return func(yield func(rows.Row, error) bool) {
		for _, path := range paths {
			in, err := files.Open(ctx, path)
			if err != nil {
				yield(rows.Row{}, err)
				return
			}
			for row, err := range in.Rows(ctx, k.columns) {
				row.Part = filepath.Base(path)
				if !yield(row, err) {
					_ = in.Close()
					return
				}
			}
			_ = in.Close()
		}
	}
}
