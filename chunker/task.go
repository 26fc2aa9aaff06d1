package chunker

import (
	"context"

	"cloud.google.com/go/firestore"
)

// Task is a kind of work that jobs do.
type Task struct {
	// Kind is stored in job documents. Once released, it keeps its meaning.
	Kind string
	// Receipt keeps the Counts of a run that failed or was canceled, for the run that replaces it. These
	// counts are of work that the new run no longer finds.
	Receipt bool
	// Noted is the argument that Note adds to. A new run keeps it, and a done job loses it.
	Noted string
	// Phases run one after the other, each from its first document to its last.
	Phases []Phase
}

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
	// HandOver ends the step after this page: the job's document has the page's cursor and
	// counts before the next page begins.
	HandOver bool
	// Waits says that the page left out work that must wait. The job continues, because later pages may have
	// work that must not wait. When its run ends, the job waits, and then runs again from the first page: see
	// [Engine.ReleaseBy].
	Waits bool
	// Gone means that the job's target no longer exists. The engine deletes the job's
	// document, which names the target, instead of keeping it as done.
	Gone bool
	// Total, unless nil, is how many documents the run will finish in all.
	Total *int64
	// Counts is added to the job's Counts: a receipt of the finished work. A repeated page counts the work
	// that it finds the second time.
	Counts map[string]int64
}
