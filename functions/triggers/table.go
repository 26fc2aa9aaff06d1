package triggers

import (
	"slices"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// All returns every function, as it is deployed, including those that a configuration
// does not need.
//
// No function has a trigger on a document with a follower array. An event carries the
// document before and after, and Firestore delivers no event above 512 KB.
//
// There are few instances, with many deliveries each. Events of one author that wait in one instance share transactions.
// Many instances would contend with each other for the author's documents.
func All(cfg schema.Config) []Trigger {
	c := cfg.Collections()
	return []Trigger{
		{
			Name: "OnFollowerWritten", EventType: written, Handle: Handlers.OnFollowerWritten,
			Document: c.Users + "/{userId}/" + c.Followers + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			// Events of one author share transactions and syncs. The more events wait in one instance, the less each
			// costs. Ten instances receive 4,000 deliveries at once.
			Concurrency: 400, MaxInstances: 10, Account: AccountFunctions,
		},
		{
			Name: "OnPostWritten", EventType: written, Handle: Handlers.OnPostWritten,
			Document: c.Posts + "/{postId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 10, Account: AccountFunctions,
		},
		{
			Name: "OnJobWritten", EventType: written, Handle: Handlers.OnJobWritten,
			Document: names.Jobs + "/{jobId}",
			Timeout:  JobTimeout, MemoryMiB: 512, MilliCPU: 1000,
			// A step works for half a minute, and writes in parallel itself. 160 steps at once are the jobs of twenty
			// posts to 20,000,000 followers. The jobs of one author and kind get at most 120 of these steps, six in each
			// instance: see jobConcurrency.
			Concurrency: jobConcurrency, MaxInstances: 20, Account: AccountFunctions,
		},
		{
			// Not written events: the functions write some fields of user documents themselves, and those events would
			// be wasted.
			Name: "OnUserDeleted", EventType: deleted, Handle: Handlers.OnUserDeleted,
			Document: c.Users + "/{userId}",
			// The function enqueues a job, and is rarely called. If the account is back, it counts the account's
			// documents.
			Timeout: 60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 3, Account: AccountFunctions,
		},
		{
			Name: "OnBlockWritten", EventType: written, Handle: Handlers.OnBlockWritten,
			Document: c.Users + "/{userId}/" + names.Blocked + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 3, Account: AccountFunctions,
		},
		{
			Name: "OnUserWritten", EventType: written, Handle: Handlers.OnUserWritten,
			Document: c.Users + "/{userId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 10, Account: AccountFunctions,
			Unneeded: len(cfg.AuthorFields)+len(cfg.RefFields) == 0,
		},
		{
			Name: "OnSettingsWritten", EventType: written, Handle: Handlers.OnSettingsWritten,
			// Not settings/read: clients may write it at each scroll.
			Document: c.Users + "/{userId}/" + names.ReaderSettings + "/" + names.ReaderSettingsFeed,
			// Clients write seenAt once an hour while they are active: most events cost nothing.
			Timeout: 60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 10, Account: AccountFunctions,
			Unneeded: !cfg.ReaderSettings || cfg.Timeline() == "" && !cfg.Notifications, // the app's own deliveries read settings themselves
		},
		{
			Name: "OnHiddenWritten", EventType: written, Handle: Handlers.OnHiddenWritten,
			Document: c.Users + "/{userId}/" + names.HiddenPosts + "/{postId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 3, Account: AccountFunctions,
			Unneeded: !cfg.ReaderSettings || cfg.Timeline() == "",
		},
		{
			Name: "OnRequestWritten", EventType: written, Handle: Handlers.OnRequestWritten,
			Document: c.Users + "/{userId}/" + names.Requests + "/{followerId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 3, Account: AccountFunctions,
			Unneeded: !cfg.Notifications,
		},
		{
			Name: "OnLikeWritten", EventType: written, Handle: Handlers.OnLikeWritten,
			Document: c.Posts + "/{postId}/" + names.Likes + "/{userId}",
			Timeout:  60 * time.Second, MemoryMiB: 256, MilliCPU: 1000,
			// Events of one post that wait in one instance share a count.
			Concurrency: 200, MaxInstances: 5, Account: AccountFunctions,
			Unneeded: !cfg.Tallies(),
		},
		{
			Name: "OnCommentWritten", EventType: written, Handle: Handlers.OnCommentWritten,
			Document: c.Posts + "/{postId}/" + names.Comments + "/{commentId}",
			Timeout:  60 * time.Second, MemoryMiB: 512, MilliCPU: 1000,
			Concurrency: 80, MaxInstances: 10, Account: AccountFunctions,
			Unneeded: !cfg.Ranked && !cfg.Tallies(),
		},
		{
			Name: Sweep, Serve: Handlers.Sweep,
			Timeout: SweepTimeout, MemoryMiB: 256, MilliCPU: 167, // the default for 256 MiB
			// Called once a minute. The second instance serves a call while
			// another takes longer.
			Concurrency: 1, MaxInstances: 2, Account: AccountFunctions,
		},
		{
			Name: Feed, Serve: Handlers.Feed,
			// A request holds at most about 10 MiB, whatever the posts contain, and
			// usually less than 1 MiB.
			Timeout: FeedTimeout, MemoryMiB: 512, MilliCPU: 1000,
			// Serves 800 requests at once. Raise MaxInstances for more readers.
			Concurrency: 40, MaxInstances: 20, Account: AccountFeed, Public: true,
		},
	}
}

// Table returns the functions that a configuration needs, as they are deployed.
func Table(cfg schema.Config) []Trigger {
	return slices.DeleteFunc(All(cfg), func(t Trigger) bool { return t.Unneeded })
}

// Events returns the functions of [Table] that have an event trigger.
func Events(cfg schema.Config) []Trigger {
	return slices.DeleteFunc(Table(cfg), Trigger.HTTP)
}

// Names returns the names of [All].
func Names() []string {
	var all []string
	for _, t := range All(schema.Config{}) {
		all = append(all, t.Name)
	}
	return all
}
