package triggers

import (
	"context"
	"net/http"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
)

// Handlers has a method for each function. An event's method returns nil to acknowledge
// the event, and an error to have it redelivered.
type Handlers interface {
	OnFollowerWritten(context.Context, event.Event) error
	OnPostWritten(context.Context, event.Event) error
	OnJobWritten(context.Context, event.Event) error
	OnUserDeleted(context.Context, event.Event) error
	OnBlockWritten(context.Context, event.Event) error
	OnUserWritten(context.Context, event.Event) error
	OnSettingsWritten(context.Context, event.Event) error
	OnHiddenWritten(context.Context, event.Event) error
	OnRequestWritten(context.Context, event.Event) error
	OnLikeWritten(context.Context, event.Event) error
	OnCommentWritten(context.Context, event.Event) error
	Sweep(http.ResponseWriter, *http.Request)
	Feed(http.ResponseWriter, *http.Request)
}

// Trigger describes one function: its deployment, its events, its resources, and its handler.
type Trigger struct {
	// Name is the function's name and its entry point.
	Name string
	// EventType is the CloudEvents type; "" for a function called by HTTP.
	EventType string
	// Document is the pattern of the documents whose events the function receives; "" for
	// a function called by HTTP.
	Document string
	// Handle handles an event; nil for a function called by HTTP.
	Handle func(Handlers, context.Context, event.Event) error
	// Serve answers a request; nil for a function called by events.
	Serve func(Handlers, http.ResponseWriter, *http.Request)
	// Timeout limits one delivery or request. Event functions may have up to 540 seconds,
	// others 60 minutes.
	Timeout time.Duration
	// MemoryMiB and MilliCPU are the resources of one instance. Cloud Run requires at
	// least 1,000 milliCPU if Concurrency is above 1.
	MemoryMiB, MilliCPU int
	// Concurrency is the number of deliveries that one instance receives at once.
	Concurrency int
	// MaxInstances is the most instances that run at once. MaxInstances × MilliCPU must
	// be within the project's CPU quota for the region, or the deployment is rejected.
	// New projects have had 20 CPU.
	MaxInstances int
	// Account is the service account that runs the function.
	Account Account
	// Public functions are called without IAM. Only Feed is public: clients call it with
	// Firebase ID tokens, which Feed verifies.
	Public bool
	// Unneeded functions have nothing to do in this configuration, and are not deployed.
	Unneeded bool
}

// HTTP reports whether the function is called by HTTP, not by events.
func (t Trigger) HTTP() bool { return t.EventType == "" }

// Account is one of the service accounts that run functions. The account's name
// ends with this text.
type Account string

const (
	// AccountFunctions reads and writes the database.
	AccountFunctions Account = "functions"
	// AccountFeed reads the database, and looks up accounts in Firebase Auth. It cannot
	// write, because Feed is open to the internet.
	AccountFeed Account = "feed"
)

// The event types that functions have. Firestore sends written when a document is created, updated or
// deleted. One trigger is enough for all three: handlers read the current documents.
const (
	written = "google.cloud.firestore.document.v1.written"
	deleted = "google.cloud.firestore.document.v1.deleted"
)

// Sweep and Feed are the names of the functions that are called by HTTP.
const (
	Sweep = "Sweep"
	Feed  = "Feed"
)

// The timeouts that handlers divide among their work.
const (
	// JobTimeout is the timeout of OnJobWritten: the longest that an event function may
	// have. Steps end earlier, after at most config.MaxStep.
	JobTimeout = 540 * time.Second
	// SweepTimeout is the timeout of Sweep. The next call continues the work that did
	// not fit.
	SweepTimeout = 60 * time.Second
	// FeedTimeout is the timeout of Feed.
	FeedTimeout = 30 * time.Second
)

// An instance of OnJobWritten runs jobConcurrency steps at once, at most [schema.OwnerTurns] of them of one author and
// kind. Jobs of an author's posts and jobs of the author's followers are two kinds, so neither waits for the other. If a
// post has more jobs than jobConcurrency, Cloud Run starts more instances, as for any other work.
const jobConcurrency = 8
