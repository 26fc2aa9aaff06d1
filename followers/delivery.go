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

// Delivery brings posts to their readers: to followers of a person or a group, which is
// called the author here, and to the people that a post names. Every method reads what is
// true now. You may call it twice, late, concurrently and in any order. It returns nil
// once its work is durable, in documents or in a job.
//
// While the brake is on ([schema.Database.Braked]), what brings posts to more readers is left to jobs,
// which wait. What takes something away is done.
//
// Package testkit/deliverytest tests what the interface promises.
type Delivery interface {
	// Followed brings the author's posts to a new follower, and takes them from one who
	// left. A crash before its end leaves the event, which is redelivered.
	Followed(ctx context.Context, c Change) error
	// Post brings a post to its readers as it is now. It takes the post back from others,
	// and from all if it is gone or hidden.
	Post(ctx context.Context, post string) error
	// Edited makes what readers have of a post say what the post says now. It is called in place
	// of Post if nothing has changed that decides who gets the post, and need bring it to nobody.
	Edited(ctx context.Context, post string) error
	// PostJob returns the id of the job to which Post leaves long work. If these are several, it
	// returns what their ids begin with, which ends in "~".
	PostJob(post string) string
	// Tasks returns the tasks of the jobs to which it leaves long work.
	Tasks() []chunker.Task
	// Forget returns the documents that go with a deleted account.
	Forget() []Forgotten
}

// Change is a follow as a members transaction left it.
type Change struct {
	Author, Follower string
	Follows          bool // now; false: the follower has left
	// Since is when the follow was made, if Follows. Returned: since then the follower may have what
	// an earlier follow has brought.
	Since    time.Time
	Returned bool
	Blocker  string // who of the two has begun to block the other, who may have left before; "": it is no block
	// Indexes are the ids of the index documents of the author that the follower joined
	// or left, sorted. A repeated event has them too, until its edge is settled.
	Indexes []string
}

// Forgotten is a kind of documents that an account's deletion removes, after its followers
// and index documents are gone.
type Forgotten struct {
	Name string // of the job's phase, and of the count in its receipt, such as "relations"
	// Documents returns the query that finds the documents of an account.
	Documents func(account string) firestore.Query
	// Own says that these are the account's own: they go first, at once. They and those with
	// Remove are looked for again at the end, for what was written meanwhile.
	Own bool
	// Clients says that clients write them, below users and posts. Others of these names are an app's
	// own and stay.
	Clients bool
	// Remove takes the account out of documents that Documents found, as they were listed, and
	// counts those that have changed since. Each of its transactions calls while first, and
	// ends with its error. nil: the documents are deleted.
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

// Forgotten returns the documents that go with a deleted account, by name, of all deliveries,
// on or off: so a job finds the same phases whatever is on.
func (x *Graph) Forgotten() (all []Forgotten) {
	for _, d := range slices.Concat(x.deliveries, x.off) {
		all = append(all, d.Forget()...)
	}
	slices.SortFunc(all, func(a, b Forgotten) int { return strings.Compare(a.Name, b.Name) })
	return all
}
