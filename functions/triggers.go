package functions

import (
	"cmp"
	"time"

	"example.com/relationindex/internal/config"
)

// Trigger says how one function is deployed: which events reach it, and what
// it may use.
type Trigger struct {
	// Name is the function's name and its entry point.
	Name string
	// EventType is the CloudEvents type.
	EventType string
	// Document is the pattern of the documents whose events it gets.
	Document string
	// Timeout of one delivery. Event functions may have up to 540 seconds.
	Timeout time.Duration
	// MemoryMiB of an instance.
	MemoryMiB int
	// Concurrency is how many deliveries one instance gets at once.
	Concurrency int
}

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

// Triggers is every function with a trigger that a configuration needs. The
// local broker registers from it, and so does deployment.
//
// No trigger sits on a document that holds a follower array: an event carries
// the document before and after, and more than 512 KB are not delivered.
func Triggers(cfg config.Functions) []Trigger {
	c := cfg.Collections()
	triggers := []Trigger{
		{
			Name: "OnFollowerWritten", EventType: written,
			Document: c.Users + "/{userId}/" + c.Followers + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 512,
			// Events of one author share transactions and syncs: the more of
			// them wait in one instance, the less each costs.
			Concurrency: 400,
		},
		{
			Name: "OnPostWritten", EventType: written,
			Document: c.Posts + "/{postId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, Concurrency: 80,
		},
		{
			Name: "OnJobWritten", EventType: written,
			Document: cmp.Or(cfg.Jobs, "_functions") + "/{jobId}",
			Timeout:  JobTimeout, MemoryMiB: 512, Concurrency: 8,
		},
		{
			// Not written: the functions write two fields of user documents
			// themselves, and those events would be for nothing.
			Name: "OnUserDeleted", EventType: deleted,
			Document: c.Users + "/{userId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, Concurrency: 80,
		},
		{
			// Not written: nothing follows from a block that is taken back.
			Name: "OnBlockCreated", EventType: created,
			Document: c.Users + "/{userId}/" + c.Blocked + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, Concurrency: 80,
		},
	}
	if len(cfg.AuthorFields) > 0 {
		triggers = append(triggers, Trigger{
			Name: "OnUserWritten", EventType: written,
			Document: c.Users + "/{userId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, Concurrency: 80,
		})
	}
	return triggers
}
