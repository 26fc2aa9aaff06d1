package mail

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// Options configures a Delivery.
type Options struct {
	// Template is the id of the extension's template. A delivery without one only forgets
	// accounts.
	Template string
	// PageFactor is how many readers a page of a job has for each document of a job's page; 0:
	// 10.
	PageFactor int
	// Daily is of how many posts of an author a process has mail written in a day; 0: of all.
	Daily int
	Now   func() time.Time // nil: time.Now
}

// Delivery writes the mail of a database. It is safe for concurrent use.
type Delivery struct {
	db     *schema.Database
	graph  *followers.Graph
	engine *chunker.Engine
	opts   Options
	daily  *daily
}

var _ followers.Delivery = (*Delivery)(nil)

// New makes the delivery by mail for a graph. It sends no requests.
func New(graph *followers.Graph, opts Options) *Delivery {
	opts.PageFactor = cmp.Or(opts.PageFactor, 10)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Delivery{db: graph.Database(), graph: graph, engine: graph.Engine(), opts: opts, daily: newDaily(opts.Daily, opts.Now)}
}

// fresh is how long a post is new. Jobs that are done stay longer, so that their posts' later
// events find them.
const fresh = 24 * time.Hour

// Edited does nothing: what was mailed stays.
func (x *Delivery) Edited(context.Context, string) error { return nil }

// Post leaves the mail of a new post to a job. It does nothing if the post is hidden or gone, or
// has no valid author, or if its document or its createdAt is more than a day old: an import brings old posts,
// and a moderator may show one later.
//
// There is one job for a post. Edits and repeated events find it and change nothing. A post
// that was hidden before its job was done gets another one when it is shown, and one that was
// deleted, when it comes back: that brings mail to those who have none.
//
// Above Daily posts of its author in a day, a post has no mail, also not later.
//
// It costs a read, and for a new post another one and a write.
//
// If the event never comes, there is no mail.
func (x *Delivery) Post(ctx context.Context, p string) error {
	if err := schema.CheckPostID(p); err != nil { // documents are found by it
		return schema.BadDocument(x.db.Options.Collections.Posts+"/"+p, "%w: it has no mail", err)
	}
	post, err := x.mailed(ctx, p)
	if err == nil && post != nil && !x.daily.allows(post.Author, p) {
		x.db.Options.Logger.WarnContext(ctx, "a post has no mail: its author has sent enough today", logging.Document, x.db.Post(p).Path)
		return nil
	}
	if err == nil && post != nil {
		// A crash before this leaves the event.
		err = x.engine.Enqueue(ctx, chunker.Spec{
			ID: x.PostJob(p), Kind: schema.KindMail, Generation: schema.Generation(post.Created),
			Owner: schema.OwnerOf(post.Author), Args: map[string]string{schema.ArgPost: p},
		})
	}
	if err != nil {
		return fmt.Errorf("mail of %s: %w", x.db.Post(p).Path, err)
	}
	return nil
}

// mailed reads a post that is to be mailed; nil: it is not.
func (x *Delivery) mailed(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // the other deliveries report it
	}
	if err != nil || post == nil || !reaches(*post) {
		return nil, err
	}
	since := x.opts.Now().Add(-fresh)
	if post.Created.Before(since) || post.CreatedAt().Before(since) {
		return nil, nil //nolint:nilnil // nobody gets an old post
	}
	return post, nil
}

// reaches reports whether a post has readers: not if it is hidden.
func reaches(post posts.Post) bool { return post.Audience != "" || len(post.Recipients) > 0 }

// Followed does nothing: who follows later gets the next post.
func (x *Delivery) Followed(context.Context, followers.Change) error { return nil }

// PostJob returns the id of the job that writes the mail of post p.
func (x *Delivery) PostJob(p string) string { return schema.MailJobID(p) }

// Tasks returns the task of the jobs that write mail.
func (x *Delivery) Tasks() []chunker.Task {
	return []chunker.Task{{Kind: schema.KindMail, Phases: []chunker.Phase{
		{Name: "recipients", Page: x.graph.Adding(x.pageRecipients)},
		{Name: "followers", Page: x.graph.Adding(x.pageFollowers)},
	}}}
}
