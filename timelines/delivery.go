package timelines

import (
	"cmp"
	"context"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// Options configures a Delivery.
type Options struct {
	Layout layout.Layout // required
	// Backfill is how many of an audience's newest posts a new follower gets; 0: only posts made after the
	// follow.
	Backfill int
	// KeepOnUnfollow keeps an audience's entries in the timeline of a reader who unfollows it.
	KeepOnUnfollow bool
	// Lifts lifts a post for the given readers whom its comments concern, if they have the post. A reader's
	// entry may come after the comments. nil: comments lift no posts.
	Lifts func(ctx context.Context, post string, readers []string) error
	// Alone says that there is no delivery by relations. Such a delivery would empty the change logs.
	Alone bool
	// PageFactor is the number of readers in a fan-out's page for each document of a job's page. Pages are
	// large because each page reads an index document of 10,000 readers again. 0: 10.
	PageFactor int
}

// Delivery keeps the timelines of a database. It is safe for concurrent use.
type Delivery struct {
	db     *schema.Database
	graph  *followers.Graph
	engine *chunker.Engine
	layout layout.Layout
	opts   Options
}

var _ followers.Delivery = (*Delivery)(nil)

// New makes the delivery by timelines for a graph. It sends no requests.
func New(graph *followers.Graph, opts Options) *Delivery {
	opts.PageFactor = cmp.Or(opts.PageFactor, 10)
	return &Delivery{db: graph.Database(), graph: graph, engine: graph.Engine(), layout: opts.Layout, opts: opts}
}

// LiftBy sets [Options.Lifts]. Call it before the first event.
func (x *Delivery) LiftBy(lifts func(ctx context.Context, post string, readers []string) error) {
	x.opts.Lifts = lifts
}

// Lifting reports whether comments lift posts.
func (x *Delivery) Lifting() bool { return x.opts.Lifts != nil }

// LiftAsCommented calls [Options.Lifts], if there is one.
func (x *Delivery) LiftAsCommented(ctx context.Context, post string, readers []string) error {
	if x.opts.Lifts == nil || len(readers) == 0 {
		return nil
	}
	return x.opts.Lifts(ctx, post, readers)
}

// Database returns the database of the timelines.
func (x *Delivery) Database() *schema.Database { return x.db }

// Layout returns the layout of new entries.
func (x *Delivery) Layout() layout.Layout { return x.layout }

// With returns the delivery with another layout.
func (x Delivery) With(l layout.Layout) *Delivery { x.layout = l; return &x }

// KeepsOnUnfollow reports whether entries stay after an unfollow.
func (x *Delivery) KeepsOnUnfollow() bool { return x.opts.KeepOnUnfollow }

// PostJob returns the id of the job that brings post p to timelines.
func (x *Delivery) PostJob(p string) string { return schema.TimelinePostJobID(p) }

// Tasks returns the tasks of the work in Post and Followed that exceeds one call. Without relations, whose
// task mends index documents, Tasks includes a task for mending too.
func (x *Delivery) Tasks() []chunker.Task {
	tasks := []chunker.Task{
		{Kind: schema.KindTimelinePost, Phases: []chunker.Phase{
			{Name: "entries", Page: x.pageEntries},
			{Name: "recipients", Page: x.bringing(x.pageRecipients)},
			{Name: "followers", Page: x.bringing(x.pageFollowers)},
		}},
		{Kind: schema.KindTimelineFollow, Phases: []chunker.Phase{
			{Name: "removal", Page: x.pageRemoval},
			{Name: "backfill", Page: x.pageBackfill},
		}},
		{Kind: schema.KindTimelineHide, Phases: []chunker.Phase{{Name: "hidden", Page: x.pageFilter}}},
		{Kind: schema.KindTimelineReader, Phases: []chunker.Phase{{Name: "hidden", Page: x.pageFilter}, {Name: "shown", Page: x.pageRebuild}}},
	}
	if x.opts.Alone {
		tasks = append(tasks, chunker.Task{Kind: schema.KindIndex, Noted: schema.ArgLeaving, Phases: []chunker.Phase{{Name: "mending", Page: x.graph.PageMending}}})
	}
	return tasks
}
