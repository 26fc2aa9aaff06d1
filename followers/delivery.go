package followers

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/work"
)

// Delivery brings posts to their readers: to followers of a person or a group, which is called the author here, and to
// the people that a post names. Every method reads the current state. You may call it twice, late, concurrently and in
// any order. It returns nil once its work is durable, in documents or in a job.
//
// While the brake is on ([schema.Database.Braked]), jobs do the work that brings posts to more readers, and these jobs
// wait. Work that removes something is done at once.
//
// Package testkit/deliverytest tests the promises of the interface.
type Delivery interface {
	// Followed brings the author's posts to a new follower, and removes them from a follower who left. A crash before
	// its end leaves the event, which is redelivered.
	Followed(ctx context.Context, c Change) error
	// Post brings a post to its readers as it is now. It removes the post from everyone else, and from everyone if the
	// post is gone or hidden.
	Post(ctx context.Context, post string) error
	// Edited updates the readers' copies of a post to the current post, and removes the post from everyone whom it no
	// longer reaches. It brings the post to nobody, and waits for no brake.
	Edited(ctx context.Context, post string) error
	// Take removes a post from those of some people, whom it has named, whom it no longer reaches. Unlike Edited, it
	// looks only at these people. It brings the post to nobody.
	Take(ctx context.Context, post string, from []string) error
	// PostJob returns the id of the job to which Post leaves long work. If there are several jobs, it returns the prefix
	// of their ids, which ends in "~".
	PostJob(post string) string
	// Tasks returns the tasks of the jobs to which the delivery leaves long work.
	Tasks() []chunker.Task
	// Forget returns the documents that go with a deleted account.
	Forget() []Forgotten
}

// Change is a follow in its state after a members transaction.
type Change struct {
	Author, Follower string
	Follows          bool // now; false: the follower has left
	// Since is when the follow was made, if Follows. Returned reports that the follower left and came back: they may
	// still have posts that an earlier follow brought.
	Since    time.Time
	Returned bool
	// Indexes are the ids of the index documents of the author that the follower joined or left, sorted. A repeated
	// event has the same ids, until the follower's edge is settled.
	Indexes []string
}

// Forgotten is a kind of documents that an account's deletion removes, after its followers
// and index documents are gone.
type Forgotten struct {
	Name string // of the job's phase, and of the count in its receipt, such as "relations"
	// Documents returns the query that finds the documents of an account.
	Documents func(account string) firestore.Query
	// Own marks the account's own documents, which are removed first, at once. Own documents, and documents with Remove,
	// are searched again at the end, for documents written meanwhile.
	Own bool
	// Clients marks documents that clients write, below users and posts. An app's own documents in other collections of
	// these names stay.
	Clients bool
	// Remove takes the account out of the documents that Documents found, if these have not changed since. stale counts
	// the documents that have. Each transaction of Remove first calls while, and returns its error. With nil, the
	// documents are deleted.
	Remove func(ctx context.Context, account string, docs []*firestore.DocumentSnapshot, while func(*firestore.Transaction) error) (stale int, err error)
}

// Deliveries are all deliveries of a database.
type Deliveries []Delivery

// Followed calls Followed of each delivery. If one fails, the others go on.
func (ds Deliveries) Followed(ctx context.Context, c Change) error {
	return ds.each(func(d Delivery) error { return d.Followed(ctx, c) })
}

// Post calls Post of each delivery. If one fails, the others go on.
func (ds Deliveries) Post(ctx context.Context, post string) error {
	return ds.each(func(d Delivery) error { return d.Post(ctx, post) })
}

// Edited calls Edited of each delivery. If one fails, the others go on.
func (ds Deliveries) Edited(ctx context.Context, post string) error {
	return ds.each(func(d Delivery) error { return d.Edited(ctx, post) })
}

// Take calls Take of each delivery. If one fails, the others go on.
func (ds Deliveries) Take(ctx context.Context, post string, from []string) error {
	return ds.each(func(d Delivery) error { return d.Take(ctx, post, from) })
}

// each joins the errors of the deliveries. The result is ErrBadDocument, which is not
// retried, only if all errors are.
func (ds Deliveries) each(call func(Delivery) error) error {
	var failed work.Failures
	for _, d := range ds {
		failed.Add(call(d))
	}
	return failed.Joined()
}

// Deliver adds deliveries to the graph, and registers their tasks. Call it before the
// first event.
func (x *Graph) Deliver(deliveries ...Delivery) {
	x.deliveries = append(x.deliveries, deliveries...)
	for _, d := range deliveries {
		for _, task := range d.Tasks() {
			x.engine.Register(task)
		}
	}
}

// Deliveries returns the graph's deliveries.
func (x *Graph) Deliveries() Deliveries { return x.deliveries }

// PostJobs returns the ids of the jobs that bring a post to its readers, as PostJob does.
func (ds Deliveries) PostJobs(post string) (ids []string) {
	for _, d := range ds {
		ids = append(ids, d.PostJob(post))
	}
	return ids
}

// Keep adds deliveries that are off, for [Graph.Forgotten]. Call it before the first event.
func (x *Graph) Keep(off ...Delivery) { x.off = append(x.off, off...) }

// Forgotten returns the documents that go with a deleted account, by name, of all deliveries. It includes deliveries
// that are off, so that a job finds the same phases in every configuration.
func (x *Graph) Forgotten() (all []Forgotten) {
	for _, d := range slices.Concat(x.deliveries, x.off) {
		all = append(all, d.Forget()...)
	}
	slices.SortFunc(all, func(a, b Forgotten) int { return strings.Compare(a.Name, b.Name) })
	return all
}
