package functions

import (
	"slices"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/runtime/config"
	"example.com/relationindex/relations"
)

// Trigger says how one function is deployed: what reaches it, and what it may
// use.
type Trigger struct {
	// Name is the function's name and its entry point.
	Name string
	// EventType is the CloudEvents type; "" for a function that is called by HTTP.
	EventType string
	// Document is the pattern of the documents whose events it gets; "" as above.
	Document string
	// Timeout of one delivery or request. Event functions may have up to 540
	// seconds, others 60 minutes.
	Timeout time.Duration
	// MemoryMiB and MilliCPU are what an instance has. An instance that takes
	// more than one delivery at once has 1,000 milliCPU at least: Cloud Run
	// refuses it otherwise.
	MemoryMiB, MilliCPU int
	// Concurrency is how many deliveries one instance gets at once.
	Concurrency int
	// MaxInstances is how many instances there are at most. Times the CPU it
	// must be within the project's quota of CPU for the region, or the deployment
	// is refused; new projects have had 20 CPU.
	MaxInstances int
	// Account is the service account that the function runs as.
	Account Account
	// Public functions are called without IAM: Feed, which clients call with
	// Firebase ID tokens, and which looks at them itself.
	Public bool
}

// HTTP says whether the function is called, and not sent events.
func (t Trigger) HTTP() bool { return t.EventType == "" }

// Account is one of the service accounts that functions run as. Its name ends
// with it.
type Account string

const (
	// AccountFunctions reads and writes the database.
	AccountFunctions Account = "functions"
	// AccountFeed reads the database, and looks users up: the function that is
	// open to the internet cannot write.
	AccountFeed Account = "feed"
)

// written is sent when a document is created, updated or deleted. One trigger
// for all three: handlers read what is there now anyway.
const (
	written = "google.cloud.firestore.document.v1.written"
	created = "google.cloud.firestore.document.v1.created"
	deleted = "google.cloud.firestore.document.v1.deleted"
)

// JobTimeout is the timeout of OnJobWritten, the longest that an event function
// may have. Steps are cut to config.MaxStep, which is shorter.
const JobTimeout = 540 * time.Second

// Of the steps that an instance of OnJobWritten runs at once, ownerTurns are of one
// author and kind at most. Jobs of the author's posts and those that their followers
// cause are two kinds, so that neither waits for the other. A post with more lanes than
// that makes instances start, as any work does.
const (
	jobConcurrency = 8
	ownerTurns     = 6
)

// Triggers is every function with an event trigger that a configuration needs.
// The local broker registers from it.
func Triggers(cfg config.Functions) []Trigger {
	return slices.DeleteFunc(Table(cfg), Trigger.HTTP)
}

// Table is every function that a configuration needs, as it is deployed.
//
// No trigger sits on a document that holds a follower array: an event carries
// the document before and after, and more than 512 KB are not delivered.
//
// Few instances with many deliveries each, not many with one: events of one
// author that wait in one instance share its transactions, and instances contend
// with each other for the author's documents.
func Table(cfg config.Functions) []Trigger {
	c := cfg.Collections()
	table := []Trigger{
		{
			Name: "OnFollowerWritten", EventType: written,
			Document: c.Users + "/{userId}/" + c.Followers + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			// Events of one author share transactions and syncs: the more of
			// them wait in one instance, the less each costs. Ten instances
			// are 4,000 deliveries at once.
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
			// A step works for minutes and writes in parallel itself. 160 at
			// once are the lanes of twenty posts to 20,000,000 followers. One
			// author's posts, or the followers of one author, have 120 of them
			// at most, six in each instance: see ownerTurns.
			Concurrency: jobConcurrency, MaxInstances: 20,
		},
		{
			// Not written: the functions write two fields of user documents
			// themselves, and those events would be for nothing.
			Name: "OnUserDeleted", EventType: deleted,
			Document: c.Users + "/{userId}",
			// It starts a job, and is rare.
			Timeout: 60 * time.Second, MemoryMiB: 256, MilliCPU: 1000, Concurrency: 80, MaxInstances: 3,
		},
		{
			// Not written: nothing follows from a block that is taken back.
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
		Timeout: SweepTimeout, MemoryMiB: 256, MilliCPU: 167, // what 256 MiB come with
		// One a minute. The second instance is for one that takes longer.
		Concurrency: 1, MaxInstances: 2,
	})
	for i := range table {
		table[i].Account = AccountFunctions
	}
	return append(table, Trigger{
		Name:    Feed,
		Timeout: FeedTimeout, MemoryMiB: FeedMemoryMiB, MilliCPU: 1000,
		// 800 requests at once. It is what an app with more readers raises.
		Concurrency: FeedConcurrency, MaxInstances: 20,
		Account: AccountFeed, Public: true,
	})
}
