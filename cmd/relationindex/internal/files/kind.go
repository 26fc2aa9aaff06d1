package files

import (
	"errors"
	"iter"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Kind is the kind of a file's rows: [Follows] or [Posts].
type Kind struct {
	required, optional []string // columns of a file
	exported           []string // columns of a file that [Export] writes

	query    func(*firestore.Client) firestore.Query
	row      func(*firestore.DocumentSnapshot) ([]string, error) // rows.ErrNone for a document of another kind
	document func(rows.Row) (Document, error)
}

// Document is the document that one row describes.
type Document struct {
	Path string         // below the database, "posts/p1"
	Data map[string]any // its fields

	// Needs are fields of Data. An existing document that lacks one of them is not the row's document.
	Needs []string
	Row   rows.Row
}

// ErrSelfFollow means that an account follows itself in a row. Rules reject such a follow from clients, so Import
// skips the row.
var ErrSelfFollow = errors.New("an account cannot follow itself")

// Columns reads the spec of a file's columns: see [rows.ParseColumns].
func (k Kind) Columns(spec string) (rows.Columns, error) {
	return rows.ParseColumns(spec, k.required, k.optional...)
}

// ExportColumns returns the columns of a file that Export writes, as a spec for Columns.
func (k Kind) ExportColumns() string {
	_, spec := headerOf(k.exported...)
	return spec
}

// Documents yields a document for each row. It yields a [*rows.RowError] for a malformed row, and
// ErrSelfFollow for an account that follows itself, and then continues. It ends after any other
// error.
func (k Kind) Documents(all iter.Seq2[rows.Row, error]) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for row, err := range all {
			d := Document{}
			if err == nil {
				d, err = k.document(row)
				if err != nil && !errors.Is(err, ErrSelfFollow) {
					err = &rows.RowError{File: row.File, Line: row.Line, Reason: err.Error()}
				}
			}
			d.Row = row
			if !yield(d, err) {
				return
			}
		}
	}
}

// createdAt returns the field createdAt, or the document's create time.
func createdAt(doc *firestore.DocumentSnapshot, fields map[string]any) (string, error) {
	at, ok := fields[schema.FieldCreatedAt].(time.Time)
	if !ok {
		at = doc.CreateTime
	}
	text := at.UTC().Format(time.RFC3339Nano)
	_, err := rows.ParseTime(text)
	return text, err
}
