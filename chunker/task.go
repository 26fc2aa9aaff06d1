package chunker

import (
	"context"

	"cloud.google.com/go/firestore"
)

// Task is a kind of work that jobs do.
type Task struct {
	// Kind is stored in job documents. Once released, it keeps its meaning.
	Kind string
	// Schema is the schema of the kind's jobs, at most [Schema]; 0: 1. An unfinished
	// job of an earlier schema starts over from its first phase. Its Args stay as the
	// earlier release set them.
	Schema int
	// Receipt keeps the Counts of a run that failed, was canceled, or has an earlier
	// schema, for the run that replaces it. They count work that the new run no longer
	// finds.
	Receipt bool
	// Phases run one after the other, each from its first document to its last.
	Phases []Phase
}

func (t Task) schema() int { return max(1, t.Schema) }

// Phase is one ordered walk.
type Phase struct {
	Name string
	Page PageFunc
}

// PageFunc does the work on at most limit documents that come after `after` (nil: from
// the first). The order must be the same in every call.
//
// PageFunc must be idempotent. It may be called again with the same cursor, even while
// an earlier call still runs somewhere. It returns a zero Page if nothing comes after
// the cursor.
type PageFunc func(ctx context.Context, job Job, after *firestore.DocumentRef, limit int) (Page, error)

// Page is the result of a PageFunc.
type Page struct {
	// Last is the last document finished, the cursor of the next call. It is nil if
	// there was none, or if the walk needs no cursor because finished documents no
	// longer match its query.
	Last *firestore.DocumentRef
	// Done is how many documents were finished.
	Done int
	// More means that the phase may have documents after Last.
	More bool
	// Gone means that the job's target no longer exists. The engine deletes the job's
	// document, which names the target, instead of keeping it as done. A lane's
	// document stays.
	Gone bool
	// Total, unless nil, is how many documents the run will finish in all.
	Total *int64
	// Counts is added to the job's Counts: a receipt of what was done. A repeated page
	// counts what it finds the second time.
	Counts map[string]int64
}
