package timelines

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// maxAhead is how long after its comment an entry may stand. Clients may write posts that much ahead.
const maxAhead = 5 * time.Minute

// Comment lifts post p for whom comment c concerns: for each account of [schema.Ranking.Match], those
// of its followers who have the post in their timeline. at never falls.
//
// It costs two reads. For each of these accounts, it walks the smaller side by their index documents,
// the account's followers or those of the post's audience: a read for each 10,000, one for each
// follower, and on the second side another; and a write for each entry that is lower. More than
// InlineLimit followers become a job. So a comment costs about what a post of the commenter costs, with
// reads in place of writes; jobs of one account share turns.
//
// Its event may come twice or late: a rank that is lower changes nothing. If it never comes, the post
// stays where it is.
func (x *Delivery) Comment(ctx context.Context, p, c string) error {
	if schema.CheckID(p) != nil || len(p) > MaxPostBytes {
		return nil // no timeline has it
	}
	comment, err := x.commentOf(ctx, p, c)
	if err != nil || comment == nil {
		return err
	}
	accounts := slices.DeleteFunc(slices.Clone(x.ranking().Matches(*comment)), func(a string) bool { return schema.CheckAuthorID(a) != nil })
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	at := x.ranking().Ranks(*comment)
	if latest := comment.Created.Add(maxAhead); at.After(latest) {
		at = latest
	}
	for _, account := range accounts[:min(len(accounts), schema.MaxMatches)] {
		args := map[string]string{schema.ArgPost: p, schema.ArgAuthor: account, schema.ArgAt: strconv.FormatInt(at.UnixMicro(), 10)}
		page, err := x.pageLift(ctx, chunker.Job{Args: args}, nil, x.db.Options.InlineLimit/x.opts.PageFactor)
		if err == nil && page.More {
			err = x.engine.Enqueue(ctx, chunker.Spec{
				ID: schema.TimelineLiftJobID(p, c, account), Kind: schema.KindTimelineLift, Generation: args[schema.ArgAt], Owner: schema.OwnerOf(account), Args: args,
			})
		}
		if err != nil {
			return fmt.Errorf("lifting of %s: %w", x.db.Post(p).Path, err)
		}
	}
	return nil
}

func (x *Delivery) ranking() schema.Ranking { return x.db.Options.Timelines.Ranking }

// commentOf reads a comment and its post; nil: one of them is gone, or bad.
func (x *Delivery) commentOf(ctx context.Context, p, c string) (*schema.Comment, error) {
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Comment(p, c)})
	if err != nil || !docs[0].Exists() {
		return nil, err
	}
	post, err := x.current(ctx, p)()
	if err != nil || post == nil {
		return nil, err
	}
	fields, _ := schema.AllFields(docs[0]) // what cannot be decoded is missing
	comment := &schema.Comment{
		ID: c, Fields: fields, Created: docs[0].CreateTime,
		Post: p, PostAuthor: post.Author, PostAudience: post.Audience, PostKind: post.Kind, PostRefs: post.Refs,
	}
	comment.Author, _ = fields[schema.FieldUserID].(string)
	comment.Audience, _ = fields[schema.FieldAudience].(string)
	return comment, nil
}

// pageLift raises the entries of a post to the rank of a job, for up to limit times PageFactor
// readers after the cursor after.
//
// Twice, it changes nothing. A crash leaves the rest to the event, or to the job.
func (x *Delivery) pageLift(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	p, account := job.Args[schema.ArgPost], job.Args[schema.ArgAuthor]
	at, err := strconv.ParseInt(job.Args[schema.ArgAt], 10, 64)
	if err != nil {
		return page, chunker.Permanent(err)
	}
	post, err := x.current(ctx, p)()
	if err != nil || post == nil {
		return page, err
	}
	walked, err := x.smaller(ctx, account, post.Audience)
	if err != nil {
		return page, err
	}
	parts, damaged, err := x.readersAfter(ctx, walked, after, max(limit, 1)*x.opts.PageFactor)
	if err != nil {
		return page, err
	}
	if walked != account && after == nil {
		parts = append([]part{{readers: post.Recipients, more: len(parts) > 0}}, parts...)
	}
	for _, part := range parts {
		page.Done, page.More = page.Done+len(part.readers), part.more
		if len(part.readers) == 0 {
			continue
		}
		if part.index != "" {
			page.Last = cursorOf(x.db, walked, part.index, part.readers[len(part.readers)-1])
		}
		lift := writing[recipient]{Delivery: x, write: func(ctx context.Context, tx *firestore.Transaction, some []recipient) error {
			return x.liftIn(ctx, tx, *post, account, walked, at, some)
		}}
		if _, err := lift.each(ctx, x.recipientsOf(part.readers), x.layout.Held()); err != nil {
			return page, err
		}
	}
	if damaged != nil { // a repair of the index documents does not lift
		x.db.Options.Logger.WarnContext(ctx, "post not lifted for all: an index document is damaged")
	}
	return page, nil
}

// smaller returns the one of two accounts that has fewer index documents; the first, if they have
// as many. It costs up to two reads.
func (x *Delivery) smaller(ctx context.Context, account, audience string) (string, error) {
	if audience == "" || audience == account {
		return account, nil
	}
	of := map[string]int{}
	for _, a := range []string{account, audience} {
		ids, err := x.graph.IndexIDs(ctx, a)
		if err != nil {
			return "", err
		}
		of[a] = len(ids)
	}
	if of[audience] < of[account] {
		return audience, nil
	}
	return account, nil
}

// liftIn is one transaction of pageLift. It reads entries without a lock: one that goes meanwhile
// fails the commit, and the caller tries again.
func (x *Delivery) liftIn(ctx context.Context, tx *firestore.Transaction, post posts.Post, account, walked string, at int64, some []recipient) error {
	if walked != account {
		refs := make([]*firestore.DocumentRef, len(some))
		for n, r := range some {
			refs[n] = x.db.Edge(account, r.id)
		}
		edges, err := x.db.Client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		var both []recipient
		for n, edge := range edges {
			if schema.TextOf(edge, schema.FieldIndexID) != "" {
				both = append(both, some[n])
			}
		}
		some = both
	}
	refs := make([]*firestore.DocumentRef, len(some))
	for n, r := range some {
		refs[n] = x.db.Timeline(r.id).Doc(post.ID)
	}
	items, err := layout.Lower(ctx, x.db, refs, at)
	if err != nil {
		return err
	}
	for _, item := range items {
		if err := layout.Lift(tx, item, at); err != nil {
			return err
		}
	}
	return nil
}
