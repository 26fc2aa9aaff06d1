// Package ranking lifts posts in timelines of items when somebody comments on them:
//
//	posts/{postId}/comments/{commentId}   userId, audience, createdAt, text
//
// [schema.Ranking] says for whom, and how high. An entry's at never falls.
package ranking

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines"
)

// maxAhead is how long after its comment an entry may stand. Clients may write posts that much ahead.
const maxAhead = 5 * time.Minute

// Ranking lifts the posts of a database. It is safe for concurrent use.
type Ranking struct {
	graph     *followers.Graph
	db        *schema.Database
	timelines *timelines.Delivery
}

// New makes the ranking of timelines. It sends no requests.
func New(graph *followers.Graph, x *timelines.Delivery) *Ranking {
	return &Ranking{graph, graph.Database(), x}
}

// Task returns the task of the work of Comment that is too much for one call.
func (x *Ranking) Task() chunker.Task {
	return chunker.Task{Kind: schema.KindLift, Schema: 1, Phases: []chunker.Phase{{Name: "entries", Page: func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		return x.page(ctx, job, after, limit*readersOfPage)
	}}}}
}

// readersOfPage is how many readers a page has for each document of a job's page.
const readersOfPage = 10

// Comment lifts post p for whom comment c concerns: for each account of [schema.Ranking.Match], those
// of its followers who have the post in their timeline.
//
// It costs two reads. For each of these accounts, it walks the smaller side by their index documents,
// the account's followers or those of the post's audience: seven reads, or three if both are the same,
// one for each 10,000, one for each follower, on the second side another for each who follows the
// account; and a write for each entry that is lower. More than
// InlineLimit followers become a job. So a comment costs about what a post of the commenter costs,
// with reads in place of writes; jobs of one account share turns.
//
// Its event may come twice or late: a rank that is lower changes nothing. If it never comes, or before
// the entry is there, the post stays where it is.
func (x *Ranking) Comment(ctx context.Context, p, c string) error {
	if schema.CheckID(p) != nil || len(p) > timelines.MaxPostBytes {
		return nil // no timeline has it
	}
	comment, err := x.read(ctx, p, c)
	if err != nil || comment == nil {
		return err
	}
	ranking := x.db.Options.Timelines.Ranking
	accounts := slices.DeleteFunc(slices.Clone(ranking.Matches(*comment)), func(a string) bool { return schema.CheckAuthorID(a) != nil })
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	at := ranking.Ranks(*comment)
	if latest := comment.Created.Add(maxAhead); at.After(latest) {
		at = latest
	}
	for _, account := range accounts[:min(len(accounts), schema.MaxMatches)] {
		args := map[string]string{schema.ArgPost: p, schema.ArgAuthor: account, schema.ArgAt: strconv.FormatInt(at.UnixMicro(), 10)}
		page, err := x.page(ctx, chunker.Job{Args: args}, nil, x.db.Options.InlineLimit)
		if err == nil && page.More {
			err = x.graph.Engine().Enqueue(ctx, chunker.Spec{
				ID: schema.LiftJobID(p, c, account), Kind: schema.KindLift, Generation: args[schema.ArgAt], Owner: schema.OwnerOf(account), Args: args, Private: true,
			})
		}
		if err != nil {
			return fmt.Errorf("lifting of %s: %w", x.db.Post(p).Path, err)
		}
	}
	return nil
}

// read reads a comment and its post; nil: one of them is gone, or bad.
func (x *Ranking) read(ctx context.Context, p, c string) (*schema.Comment, error) {
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Comment(p, c)})
	if err != nil || !docs[0].Exists() {
		return nil, err
	}
	post, err := x.post(ctx, p)
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

// post reads a post; nil: it is gone or bad.
func (x *Ranking) post(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // the event's handler reports it
	}
	return post, err
}

// page raises the entries of a post to the rank of a job, for up to limit readers after the cursor
// after.
//
// Twice, it changes nothing. A crash leaves the rest to the event, or to the job.
func (x *Ranking) page(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	account := job.Args[schema.ArgAuthor]
	at, err := strconv.ParseInt(job.Args[schema.ArgAt], 10, 64)
	if err != nil {
		return chunker.Page{}, chunker.Permanent(err)
	}
	post, err := x.post(ctx, job.Args[schema.ArgPost])
	if err != nil || post == nil {
		return chunker.Page{}, err
	}
	walked, err := x.smaller(ctx, account, post)
	if err != nil {
		return chunker.Page{}, err
	}
	ids, page, err := x.timelines.Readers(ctx, walked, after, limit)
	if err != nil && !schema.OnlyDamaged(err) { // those of damaged index documents are left out
		return page, err
	}
	if walked != account {
		if after == nil {
			ids = append(ids, post.Recipients...)
		}
		if ids, err = x.following(ctx, account, ids); err != nil {
			return page, err
		}
	}
	return page, x.timelines.Lift(ctx, post.ID, at, ids)
}

// smaller returns the account, or the audience of a post if that has fewer index documents. It costs
// four reads, unless both are the same.
func (x *Ranking) smaller(ctx context.Context, account string, post *posts.Post) (string, error) {
	if post.Audience == "" || post.Audience == account {
		return account, nil
	}
	of := map[string]int{}
	for _, a := range []string{account, post.Audience} {
		ids, err := x.graph.IndexIDs(ctx, a)
		if err != nil {
			return "", err
		}
		of[a] = len(ids)
	}
	if of[post.Audience] < of[account] {
		return post.Audience, nil
	}
	return account, nil
}

// following returns those of readers who follow an account, with a read for each.
func (x *Ranking) following(ctx context.Context, account string, ids []string) (some []string, err error) {
	const atOnce = 500
	for part := range slices.Chunk(ids, atOnce) {
		refs := make([]*firestore.DocumentRef, len(part))
		for n, r := range part {
			refs[n] = x.db.Edge(account, r)
		}
		edges, err := x.db.Client.GetAll(ctx, refs)
		if err != nil {
			return nil, err
		}
		for n, edge := range edges {
			if schema.TextOf(edge, schema.FieldIndexID) != "" {
				some = append(some, part[n])
			}
		}
	}
	return some, nil
}
