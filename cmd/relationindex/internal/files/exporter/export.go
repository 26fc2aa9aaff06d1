package exporter

import (
	"context"
	"fmt"
	"io"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/cmd/relationindex/internal/files/edgelist"
	"example.com/relationindex/internal/store"
)

// maxAge is how old the moment may be as of which documents are read. Source: read_time of
// RunQueryRequest, "within the past one hour", with some minutes to spare.
const maxAge = 50 * time.Minute

// pageSize is how many documents a query returns. Each query but the first names its moment.
const pageSize = 5_000

// Options of Write.
type Options struct {
	LeftOut  func(path string, why error) // told each document that is left out; may be nil
	Progress func(documents int64)        // told the documents read so far, often; may be nil
}

// Summary counts documents.
type Summary struct {
	Exported int64 `json:"exported"`
	LeftOut  int64 `json:"leftOut"`

	// Moments is as of how many moments documents were read: one, unless it took long.
	Moments int64 `json:"moments"`
}

func (s Summary) String() string {
	text := fmt.Sprintf("exported %d, left out %d", s.Exported, s.LeftOut)
	if s.Moments > 1 {
		text += fmt.Sprintf("\nread as of %d moments, each for the next documents by name: what changed meanwhile may be missing, or there though it is gone", s.Moments)
	}
	return text
}

// Write writes the documents of a kind to w, below a header. The summary is right also when
// it returns an error.
func Write(ctx context.Context, client *firestore.Client, k Kind, w io.Writer, o Options) (s Summary, err error) {
	header, _ := edgelist.Header(k.columns...)
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

// write writes a document, or counts it as left out.
func (s *Summary) write(w io.Writer, k Kind, doc *firestore.DocumentSnapshot, leftOut func(string, error)) error {
	values, err := k.row(doc)
	if values == nil && err == nil {
		return nil // of the app's own
	}
	line := ""
	if err == nil {
		line, err = edgelist.Line(values...)
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
