package deliverytest

import (
	"context"

	"example.com/relationindex/chunker"
)

// Delivery brings posts to the readers of an author. Every method reads what is true now,
// may be called twice, late, at once and in any order, and returns nil once what it is
// about is durable, in documents or in a job.
type Delivery interface {
	Followed(ctx context.Context, c Change) error // a follow appeared, moved or ended
	Post(ctx context.Context, post string) error  // a post was written or deleted
	Tasks() []chunker.Task                        // what it leaves to jobs
	Forget(account string) []chunker.Phase        // its part of an account's deletion
}

// Change says that a follow may have changed.
type Change struct {
	Author, Follower string
	Follows          bool
	Indexes          []string // index documents that the follower has joined or left
}
