// Package strange names the documents that checks and repairs skip: documents with an id from which nothing is derived
// (see [schema.ErrBadID]), posts without an author, and an app's own documents of another form.
package strange

import (
	"fmt"
	"strings"
	"sync"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Skipped is a skipped document.
type Skipped struct {
	Document string `json:"document"` // its path below the database
	Why      string `json:"skipped"`
}

func (s Skipped) String() string { return fmt.Sprintf("%s: skipped: %s", s.Document, s.Why) }

// remembered is the number of remembered document names: about 100 MB of the longest names.
const remembered = 30_000

// Names reports each document once; beyond 30,000 documents, perhaps again. The zero value only counts them. It is safe
// for concurrent use.
type Names struct {
	Report func(Skipped) // nil: not called; never twice at once

	mu    sync.Mutex
	named map[string]bool
	count int64
}

// Add reports a document unless err is nil, and returns whether err is not nil. err describes the error in the document
// or its id.
func (n *Names) Add(doc *firestore.DocumentRef, err error) bool {
	if err == nil {
		return false
	}
	_, path, _ := strings.Cut(doc.Path, "/documents/")
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.named[path] {
		return true
	}
	if n.named == nil || len(n.named) == remembered {
		n.named = map[string]bool{}
	}
	n.named[path] = true
	n.count++
	why := err.Error()
	if _, after, ok := strings.Cut(why, schema.ErrBadDocument.Error()+": "); ok {
		why = after // the document is named
	}
	if n.Report != nil {
		n.Report(Skipped{path, why})
	}
	return true
}

// Count returns the number of reported documents.
func (n *Names) Count() int64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}
