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
	row      func(*firestore.DocumentSnapshot) ([]string, error) // rows.ErrNone if it is none of the kind
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

// ErrSelfFollow means that in a row an account follows itself. Rules reject such a follow from clients, so it is
// not imported.
var ErrSelfFollow = errors.New("an account cannot follow itself")

// Columns reads the spec of a file's columns: see [rows.ParseColumns].
func (k Kind) Columns(spec string) (rows.Columns, error) {
	return rows.ParseColumns(spec, k.required, k.optional...)
}

// ExportColumns returns the columns of a file that Export writes, as Columns takes them.
func (k Kind) ExportColumns() string {
	_, spec := headerOf(k.exported...)
	return spec
}

// Documents makes a document of each row. A row that is none comes as a [*rows.RowError], one of an
// account that follows itself as ErrSelfFollow; the rows after it follow. Any other error is the
// last.
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

// createdAt returns the field, or when the document was made.
func createdAt(doc *firestore.DocumentSnapshot, fields map[string]any) (string, error) {
	at, ok := fields[schema.FieldCreatedAt].(time.Time)
	if !ok {
		at = doc.CreateTime
	}
	text := at.UTC().Format(time.RFC3339Nano)
	_, err := rows.ParseTime(text)
	return text, err
}
