package dev

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/cmd/relationindex/internal/files/importer"
	"example.com/relationindex/schema/names"
)

// kind is a kind of files in a folder of --seed.
type kind struct {
	begins   string   // the names of its files
	required []string // the columns, in the order of a file without a header
	optional []string
	read     func(file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[importer.Document, error]
}

var (
	followFiles = kind{"follows", []string{"follower", "followed"}, nil, importer.Follows}
	postFiles   = kind{"posts", []string{"author", "createdAt"}, []string{"text", "id"}, postsWithText}
)

// postsWithText is [importer.Posts], with the column text.
func postsWithText(file string, in io.Reader, columns edgelist.Columns, c names.Collections) iter.Seq2[importer.Document, error] {
	return func(yield func(importer.Document, error) bool) {
		for d, err := range importer.PostsOfPart(filepath.Base(file), file, in, columns, c) {
			if text := d.Row.Get("text"); err == nil && text != "" {
				d.Data["text"] = text
			}
			if !yield(d, err) {
				return
			}
		}
	}
}

// files are the paths of a kind in a folder, sorted.
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

// escaped is a path as a pattern of itself.
func escaped(path string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`).Replace(path)
}

// documents are those of all files. The first row that is none ends them, but for accounts that follow themselves, which
// are left out.
func (k kind) documents(files []string, c names.Collections) iter.Seq2[importer.Document, error] {
	return func(yield func(importer.Document, error) bool) {
		for _, file := range files {
			for d, err := range k.file(file, c) {
				if !yield(d, err) || err != nil {
					return
				}
			}
		}
	}
}

func (k kind) file(path string, c names.Collections) iter.Seq2[importer.Document, error] {
	return func(yield func(importer.Document, error) bool) {
		f, err := edgelist.Open(path)
		if err != nil {
			yield(importer.Document{}, err)
			return
		}
		defer f.Close()
		in := bufio.NewReaderSize(f, edgelist.MaxLineBytes)
		columns, header, err := k.columns(in)
		if err != nil {
			yield(importer.Document{}, fmt.Errorf("%s: %w", path, err))
			return
		}
		for d, err := range k.read(path, in, columns, c) {
			bad, isBad := errors.AsType[*edgelist.RowError](err)
			switch {
			case errors.Is(err, importer.ErrSelfFollow), isBad && bad.Line == header, err == nil && d.Row.Line == header:
				continue
			case isBad:
				err = errors.New(bad.Error()) // which Write would skip
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// maxColumns is the most columns that are looked for in a header.
const maxColumns = 20

// columns reads the header without consuming it, and returns its line; 0: there is none, and the columns are in their
// order.
func (k kind) columns(in *bufio.Reader) (columns edgelist.Columns, line int, err error) {
	start, err := in.Peek(edgelist.MaxLineBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return columns, 0, err
	}
	numbers := make([]string, maxColumns)
	spec := make([]string, maxColumns)
	for i := range numbers {
		numbers[i] = strconv.Itoa(i + 1)
		spec[i] = numbers[i] + "=" + numbers[i]
	}
	every, err := edgelist.ParseColumns(strings.Join(spec, ","), nil, numbers...)
	if err != nil {
		return columns, 0, err
	}
	spec, wanted := nil, slices.Concat(k.required, k.optional)
	for row, err := range edgelist.Rows("", bytes.NewReader(start), every) {
		if err != nil {
			break // the file's own reader tells
		}
		for _, number := range numbers {
			if name := row.Get(number); slices.Contains(wanted, name) {
				spec = append(spec, name+"="+number)
			}
		}
		line = row.Line
		break
	}
	if columns, err = edgelist.ParseColumns(strings.Join(spec, ","), k.required, k.optional...); err == nil {
		return columns, line, nil
	}
	spec = nil
	for i, name := range wanted[:min(len(wanted), 3)] { // an id takes a header
		spec = append(spec, name+"="+strconv.Itoa(i+1))
	}
	columns, err = edgelist.ParseColumns(strings.Join(spec, ","), k.required, k.optional...)
	return columns, 0, err
}
