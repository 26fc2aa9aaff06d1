package functions

import (
	"slices"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/relations"
)

// Trigger describes how one function is deployed: its events and its resources.
type Trigger struct {
	// Name is the function's name and its entry point.
	Name string
	// EventType is the CloudEvents type; "" for a function called by HTTP.
	EventType string
	// Document is the pattern of the documents whose events the function receives; "" for
	// a function called by HTTP.
	Document string
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

// The event types. Firestore sends written when a document is created, updated or
// deleted. One trigger is enough for all three: handlers read the current documents.
const (
	written = "google.cloud.firestore.document.v1.written"
	created = "google.cloud.firestore.document.v1.created"
	deleted = "google.cloud.firestore.document.v1.deleted"
)

// JobTimeout is the timeout of OnJobWritten: the longest that an event function may have.
// Steps end earlier, after at most config.MaxStep.
const JobTimeout = 540 * time.Second

// An instance of OnJobWritten runs jobConcurrency steps at once, at most ownerTurns of
// them of one author and kind. Jobs of an author's posts and jobs of the author's
// followers are two kinds, so neither waits for the other. A post with more lanes than
// ownerTurns makes Cloud Run start more instances, like any other work.
const (
	jobConcurrency = 8
	ownerTurns     = 6
)

// Triggers returns every function with an event trigger that a configuration needs. The
// local broker registers these.
func Triggers(cfg config.Functions) []Trigger {
	return slices.DeleteFunc(Table(cfg), Trigger.HTTP)
}

// Table returns every function that a configuration needs, as it is deployed.
//
// No function has a trigger on a document with a follower array. An event carries the
// document before and after, and Firestore delivers no event above 512 KB.
//
// Few instances take many deliveries each. Events of one author that wait in one
// instance share transactions. Many instances would contend with each other for the
// author's documents.
func Table(cfg config.Functions) []Trigger {
	c := cfg.Collections()
	table := []Trigger{
		{
			Name: "OnFollowerWritten", EventType: written,
			Document: c.Users + "/{userId}/" + c.Followers + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			// Events of one author share transactions and syncs. The more of them wait
			// in one instance, the less each costs. Ten instances take 4,000
			// deliveries at once.
			Concurrency: 400, MaxInstances: 10,
		},
		{
			Name: "OnPostWritten", EventType: written,
			Document: c.Posts + "/{postId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000, Concurrency: 80, MaxInstances: 10,
		},
		{
			Name: "OnJobWritten", EventType: written,
			Document: chunker.DefaultCollection + "/{jobId}",
			Timeout:  JobTimeout, MemoryMiB: 512, MilliCPU: 1000,
			// A step works for minutes, and writes in parallel itself. 160 steps
			// at once are the lanes of twenty posts to 20,000,000 followers. The
			// jobs of one author and kind get at most 120 of them, six in each
			// instance: see ownerTurns.
			Concurrency: jobConcurrency, MaxInstances: 20,
		},
		{
			// Not written: the functions write two fields of user documents themselves,
			// and those events would be wasted.
			Name: "OnUserDeleted", EventType: deleted,
			Document: c.Users + "/{userId}",
			// The function only enqueues a job, and is rarely called.
			Timeout: 60 * time.Second, MemoryMiB: 256, MilliCPU: 1000, Concurrency: 80, MaxInstances: 3,
		},
		{
			// Not written: the end of a block needs no work.
			Name: "OnBlockCreated", EventType: created,
			Document: c.Users + "/{userId}/" + relations.Blocked + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000, Concurrency: 80, MaxInstances: 3,
		},
	}
	if len(cfg.AuthorFields) > 0 {
		table = append(table, Trigger{
			Name: "OnUserWritten", EventType: written,
			Document: c.Users + "/{userId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000, Concurrency: 80, MaxInstances: 10,
		})
	}
	table = append(table, Trigger{
		Name:    Sweep,
		Timeout: SweepTimeout, MemoryMiB: 256, MilliCPU: 167, // the default for 256 MiB
		// Called once a minute. The second instance serves a call while
		// another takes longer.
		Concurrency: 1, MaxInstances: 2,
	})
	for i := range table {
		table[i].Account = AccountFunctions
	}
	return append(table, Trigger{
		Name:    Feed,
		Timeout: FeedTimeout, MemoryMiB: FeedMemoryMiB, MilliCPU: 1000,
		// Serves 800 requests at once. Raise MaxInstances for more readers.
		Concurrency: FeedConcurrency, MaxInstances: 20,
		Account: AccountFeed, Public: true,
	})
}
