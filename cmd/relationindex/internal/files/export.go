package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"
	"example.com/relationindex/internal/store"
)

// maxAge is the greatest age of the moment at which documents are read. Source: read_time of
// RunQueryRequest, "within the past one hour", with some minutes to spare.
const maxAge = 50 * time.Minute

// pageSize is the most documents that a query returns. Each query of a moment except the first names the moment.
const pageSize = 5_000

// ExportOptions are the options of Export.
type ExportOptions struct {
	LeftOut  func(path string, why error) // called with each document that is left out; may be nil
	Progress func(documents int64)        // called often with the number of documents read; may be nil
}

// Exported counts documents.
type Exported struct {
	Exported int64 `json:"exported"`
	LeftOut  int64 `json:"leftOut"`

	// Moments is the number of moments at which documents were read: one, unless the export took longer than maxAge.
	Moments int64 `json:"moments"`
}

func (s Exported) String() string {
	text := fmt.Sprintf("exported %d, left out %d", s.Exported, s.LeftOut)
	if s.Moments > 1 {
		text += fmt.Sprintf("\nread as of %d moments, each for the next documents by name: what changed meanwhile may be missing, or there though it is gone", s.Moments)
	}
	return text
}

// Export writes the documents of a kind to w, below a header, and nothing to the database. It reads
// the documents in the order of their names, as they were at one moment. After each [maxAge], it
// chooses a new moment, because Firestore reads only the past hour. The summary is also right with an
// error.
func Export(ctx context.Context, client *firestore.Client, k Kind, w io.Writer, o ExportOptions) (s Exported, err error) {
	header, _ := headerOf(k.exported...)
	if _, err := io.WriteString(w, header); err != nil {
		return s, err
	}
	query := k.query(client).OrderBy(firestore.DocumentID, firestore.Asc).Limit(pageSize)
	var began time.Time // time of the moment
	for more := true; more; {
		read, fresh := 0, time.Since(began) > maxAge
		if fresh { // read at the server's current time, which the first document has
			query = *query.WithReadOptions(firestore.ReadTime(time.Time{}))
		}
		for doc, err := range store.Documents(ctx, query) {
			if err != nil {
				return s, err
			}
			if read == 0 && fresh {
				began, query = time.Now(), *query.WithReadOptions(firestore.ReadTime(doc.ReadTime))
				s.Moments++
			}
			query = query.StartAfter(doc)
			if err := s.write(w, k, doc, o.LeftOut); err != nil {
				return s, err
			}
			if o.Progress != nil {
				o.Progress(s.Exported + s.LeftOut)
			}
			if read++; read == pageSize { // an interrupted query may return more
				break
			}
		}
		more = read == pageSize
	}
	return s, nil
}

// write writes a document. It counts a document that no line can hold as left out.
func (s *Exported) write(w io.Writer, k Kind, doc *firestore.DocumentSnapshot, leftOut func(string, error)) error {
	line := ""
	values, err := k.row(doc)
	if errors.Is(err, rows.ErrNone) {
		return nil // a document of the app
	}
	if err == nil {
		line, err = lineOf(values...)
	}
	if err != nil {
		if s.LeftOut++; leftOut != nil {
			leftOut(doc.Ref.Path, err)
		}
		return nil
	}
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	s.Exported++
	return nil
}
