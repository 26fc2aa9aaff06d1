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

// maxAge is how old the moment may be as of which documents are read. Source: read_time of
// RunQueryRequest, "within the past one hour", with some minutes to spare.
const maxAge = 50 * time.Minute

// pageSize is how many documents a query returns. Each query but the first names its moment.
const pageSize = 5_000

// ExportOptions are the options of Export.
type ExportOptions struct {
	LeftOut  func(path string, why error) // told each document that is left out; may be nil
	Progress func(documents int64)        // told the documents read so far, often; may be nil
}

// Exported counts documents.
type Exported struct {
	Exported int64 `json:"exported"`
	LeftOut  int64 `json:"leftOut"`

	// Moments is as of how many moments documents were read: one, unless it took long.
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
// them in the order of their names, as they all were at one moment, which is a later one every
// [maxAge]: Firestore reads the past of an hour only. The summary is right also when it returns an
// error.
func Export(ctx context.Context, client *firestore.Client, k Kind, w io.Writer, o ExportOptions) (s Exported, err error) {
	header, _ := headerOf(k.exported...)
	if _, err := io.WriteString(w, header); err != nil {
		return s, err
	}
	query := k.query(client).OrderBy(firestore.DocumentID, firestore.Asc).Limit(pageSize)
	var began time.Time // of the moment
	for more := true; more; {
		read, fresh := 0, time.Since(began) > maxAge
		if fresh { // as of the server's now, which the first document tells
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
			if read++; read == pageSize { // more come where a query was interrupted
				break
			}
		}
		more = read == pageSize
	}
	return s, nil
}

// write writes a document, or counts it as left out: no line can hold it.
func (s *Exported) write(w io.Writer, k Kind, doc *firestore.DocumentSnapshot, leftOut func(string, error)) error {
	line := ""
	values, err := k.row(doc)
	if errors.Is(err, rows.ErrNone) {
		return nil // of the app's own
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
