package sending

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// pageFactor is the number of readers in a page for each document of a job's page.
const pageFactor = 10

// Delivery runs an app's own deliveries for a database. It is safe for concurrent use.
type Delivery struct {
	db     *schema.Database
	graph  *followers.Graph
	engine *chunker.Engine
	ways   []way
	now    func() time.Time
}

// way is a delivery that is on.
type way struct {
	schema.Delivery
	daily *daily
}

var _ followers.Delivery = (*Delivery)(nil)

// New makes the deliveries that the database's options name. It sends no requests.
func New(graph *followers.Graph) *Delivery {
	x := &Delivery{db: graph.Database(), graph: graph, engine: graph.Engine(), now: time.Now}
	for _, d := range x.db.Config.Deliveries {
		if d.Bring != nil {
			x.ways = append(x.ways, way{d, newDaily(d.Daily, x.now)})
		}
	}
	return x
}

// On reports whether any delivery is on.
func (x *Delivery) On() bool { return len(x.ways) > 0 }

// fresh is how long a post is new. Jobs that are done stay longer, so that later events of their posts find them.
const fresh = 24 * time.Hour

// Edited does nothing: delivered posts stay as they are.
func (x *Delivery) Edited(context.Context, string) error { return nil }

// Take does nothing: what was delivered cannot be taken back.
func (x *Delivery) Take(context.Context, string, []string) error { return nil }

// Post leaves a new post to a job for each delivery. It does nothing if the post is hidden, gone, or without a valid
// author. It also does nothing if the post's document or createdAt is more than a day old: an import brings old posts,
// and a moderator may show an old one later.
//
// Edits and repeated events find the jobs and change nothing. A post gets new jobs if it was hidden before its jobs were
// done and is shown again, or if it was deleted and comes back. These jobs bring it to the readers who do not have it
// yet.
//
// If the author has more than Daily posts in a day, the further posts are brought to nobody, also not later.
//
// Post costs a read. For a new post, it also costs another read, and a write for each delivery.
//
// If the event never comes, nobody gets the post by these deliveries.
func (x *Delivery) Post(ctx context.Context, p string) error {
	if err := schema.CheckPostID(p); err != nil { // deliveries find documents by it
		return schema.BadDocument(x.db.Config.Collections().Posts+"/"+p, "%w: nobody is told of it", err)
	}
	post, err := x.new(ctx, p)
	if err == nil && post != nil {
		err = x.enqueue(ctx, post)
	}
	if err != nil {
		return fmt.Errorf("deliveries of %s: %w", x.db.Post(p).Path, err)
	}
	return nil
}

// enqueue leaves a post to a job for each delivery. A crash before the last one leaves the event.
func (x *Delivery) enqueue(ctx context.Context, post *posts.Post) error {
	var failed work.Failures
	for _, w := range x.ways {
		if !w.daily.allows(post.Author, post.ID) {
			x.db.Config.Logger.WarnContext(ctx, "a post is brought to nobody: its author has reached the delivery's daily limit",
				logging.Document, x.db.Post(post.ID).Path, logging.Kind, w.Name)
			continue
		}
		failed.Add(x.engine.Enqueue(ctx, chunker.Spec{
			ID: schema.SendJobID(post.ID, w.Name), Kind: schema.KindSend, Generation: schema.Generation(post.Created),
			Owner: x.db.OwnerOf(post.Author), Args: map[string]string{schema.ArgPost: post.ID, schema.ArgDelivery: w.Name},
		}))
	}
	return failed.Joined()
}

// new reads a post that is to be brought; nil if the post is not to be brought.
func (x *Delivery) new(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // the other deliveries report it
	}
	if err != nil || post == nil || !reaches(*post) {
		return nil, err
	}
	since := x.now().Add(-fresh)
	if post.Created.Before(since) || post.CreatedAt().Before(since) {
		return nil, nil //nolint:nilnil // nobody gets an old post
	}
	return post, nil
}

// reaches reports whether a post has readers. A hidden post has none.
func reaches(post posts.Post) bool { return post.Audience != "" || len(post.Recipients) > 0 }

// Followed does nothing: a later follower gets the next post.
func (x *Delivery) Followed(context.Context, followers.Change) error { return nil }

// PostJob returns the common prefix of the ids of post p's jobs.
func (x *Delivery) PostJob(p string) string { return schema.SendJobs(p) }

// Tasks returns the task of the jobs.
func (x *Delivery) Tasks() []chunker.Task {
	return []chunker.Task{{Kind: schema.KindSend, Phases: []chunker.Phase{
		{Name: "recipients", Page: x.graph.Adding(x.ofAWay(x.pageRecipients))},
		{Name: "followers", Page: x.graph.Adding(x.ofAWay(x.pageFollowers))},
	}}}
}

// Forget returns nothing: the purge calls each delivery itself, see [schema.Delivery].
func (x *Delivery) Forget() []followers.Forgotten { return nil }
