// Package ranking lifts posts in timelines of items when somebody comments on them:
//
//	posts/{postId}/comments/{commentId}   userId, audience, createdAt, text
//
// [schema.Ranking] decides for which accounts, and how high. An entry's at never falls.
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
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines"
)

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

// Task returns the task for the work of Comment that exceeds one call.
func (x *Ranking) Task() chunker.Task {
	return chunker.Task{Kind: schema.KindLift, Phases: []chunker.Phase{{Name: "entries", Page: x.graph.Adding(func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		return x.page(ctx, job, after, limit*readersOfPage)
	})}}}
}

// readersOfPage is the number of readers in a page for each document of a job's page.
const readersOfPage = 10

// Comment lifts post p for the people whom comment c concerns: for each account of [schema.Ranking.Match], the followers
// of the account who have the post in their timeline.
//
// Comment costs two reads. For each of these accounts, it then walks the side with fewer index documents: the account's
// followers, or the followers of the post's audience. That costs:
//
//   - seven reads, or three if both sides are the same;
//   - a read for each 10,000 followers, and one for each follower;
//   - on the second side, another read for each reader who follows the account;
//   - a write for each entry that is lower.
//
// If the post has no audience, Comment walks no followers, and costs a read for each person that the post names. So a
// comment costs about the same as a post of the commenter, with reads in place of writes.
//
// If the followers exceed InlineLimit, Comment leaves them to a job of the post and the account, whose Generation is the
// highest rank so far. Comments that come while the job runs share its next run, and cost a few reads and a write each.
// Jobs of one account share turns.
//
// The comment's event may come twice or late: a lower rank changes nothing. If the event never comes, the post stays at
// its place. If it comes before the entry, the fan-out or follow that brings the entry lifts it: see [Ranking.Lifts]. If
// it comes before the event of a follow, and the follower already has the post in another way, only a repair lifts their
// entry.
func (x *Ranking) Comment(ctx context.Context, p, c string) error {
	if schema.CheckPostID(p) != nil {
		return nil // no timeline has this post
	}
	comment, err := x.read(ctx, p, c)
	if err != nil || comment == nil {
		return err
	}
	accounts, at, err := x.concerns(ctx, *comment)
	if err != nil {
		return fmt.Errorf("ranking of %s: %w", x.db.Comment(p, c).Path, err)
	}
	var failed work.Failures // a damaged account does not hold up the others
	for _, account := range accounts {
		failed.Add(x.liftFor(ctx, p, account, at))
	}
	if err := failed.Joined(); err != nil {
		return fmt.Errorf("lifting of %s: %w", x.db.Post(p).Path, err)
	}
	return nil
}

// concerns returns the accounts for whose followers a comment lifts its post, sorted, and the new at.
func (x *Ranking) concerns(ctx context.Context, comment schema.Comment) (accounts []string, at int64, err error) {
	ranking := x.db.Config.Ranking
	matches, err := ranking.Matches(ctx, x.db.Client, comment)
	if err != nil {
		return nil, 0, err
	}
	to, err := ranking.Ranks(ctx, x.db.Client, comment)
	if err != nil {
		return nil, 0, err
	}
	accounts = slices.DeleteFunc(slices.Clone(matches), func(a string) bool { return schema.CheckAccountID(a) != nil })
	slices.Sort(accounts)
	accounts = slices.Compact(accounts)
	if latest := comment.Created.Add(schema.MaxAhead); to.After(latest) {
		to = latest
	}
	return accounts[:min(len(accounts), schema.MaxMatches)], to.UnixMicro(), nil
}

// liftFor lifts a post for an account's followers, or leaves the work to a job.
//
// A crash before the job is stored leaves the work to the event.
func (x *Ranking) liftFor(ctx context.Context, p, account string, at int64) error {
	args := map[string]string{schema.ArgPost: p, schema.ArgAuthor: account}
	some, err := x.next(ctx, args, nil, x.db.Config.InlineLimit)
	if err != nil {
		return err
	}
	if some.page.More {
		return x.graph.Engine().Enqueue(ctx, chunker.Spec{
			ID: schema.LiftJobID(p, account), Kind: schema.KindLift, Generation: strconv.FormatInt(at, 10), Ordered: true,
			Owner: x.db.OwnerOf(account), Args: args, Private: true,
		})
	}
	return x.lift(ctx, some, at)
}

// read reads a comment and its post; nil if either is gone or bad.
func (x *Ranking) read(ctx context.Context, p, c string) (*schema.Comment, error) {
	docs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.db.Comment(p, c)})
	if err != nil || !docs[0].Exists() {
		return nil, err
	}
	post, err := x.post(ctx, p)
	if err != nil || post == nil {
		return nil, err
	}
	comment := commentOf(docs[0], *post)
	return &comment, nil
}

// commentOf decodes a comment on a post. Fields that cannot be decoded count as missing.
func commentOf(snap *firestore.DocumentSnapshot, post posts.Post) schema.Comment {
	fields, _ := schema.AllFields(snap)
	comment := schema.Comment{
		ID: snap.Ref.ID, Fields: fields, Created: snap.CreateTime,
		Post: post.ID, PostAuthor: post.Author, PostAudience: post.Audience, PostKind: post.Kind, PostRefs: post.Refs,
	}
	if at, ok := fields[schema.FieldCreatedAt].(time.Time); ok && at.Before(comment.Created) { // an import creates documents again
		comment.Created = at
	}
	comment.Author, _ = fields[schema.FieldUserID].(string)
	comment.Audience, _ = fields[schema.FieldAudience].(string)
	return comment
}

// post reads a post; nil if it is gone or bad.
func (x *Ranking) post(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // the event's handler reports it
	}
	return post, err
}

// page raises the entries of a post to the highest rank with which its job has been enqueued, for up to limit readers
// after the cursor after. If a higher rank comes meanwhile, the remaining pages use the rank that they read, and then
// the job starts over.
//
// A repeated page changes nothing. A crash leaves the remaining readers to the job.
func (x *Ranking) page(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	at, err := strconv.ParseInt(job.Generation, 10, 64)
	if err != nil {
		return chunker.Page{}, chunker.Permanent(err)
	}
	some, err := x.next(ctx, job.Args, after, limit)
	if err != nil {
		return chunker.Page{}, err
	}
	return some.page, x.lift(ctx, some, at)
}

// part is the group of readers for whom a page lifts a post. The zero value has no readers.
type part struct {
	post      *posts.Post
	ids       []string
	following string // the account, if ids may include people who do not follow it; "": all ids follow it
	page      chunker.Page
}

// next returns readers who may have the post, up to limit after the cursor after.
func (x *Ranking) next(ctx context.Context, args map[string]string, after *firestore.DocumentRef, limit int) (s part, err error) {
	account := args[schema.ArgAuthor]
	if s.post, err = x.post(ctx, args[schema.ArgPost]); err != nil || s.post == nil {
		return s, err
	}
	if s.post.Audience == "" { // only the people that the post names have it
		s.ids, s.following = s.post.Recipients, account
		return s, nil
	}
	walked, err := x.smaller(ctx, account, s.post)
	if err != nil {
		return s, err
	}
	s.ids, s.page, err = x.timelines.Readers(ctx, walked, after, limit)
	if err != nil && !schema.OnlyDamaged(err) { // followers in damaged index documents are left out
		return s, err
	}
	if walked != account {
		s.following = account
		if after == nil {
			s.ids = append(s.ids, s.post.Recipients...)
		}
	}
	return s, nil
}

// lift raises the entries of a part.
func (x *Ranking) lift(ctx context.Context, s part, at int64) (err error) {
	if s.post == nil {
		return nil
	}
	if s.following != "" {
		if s.ids, err = x.following(ctx, s.following, s.ids); err != nil {
			return err
		}
	}
	return x.timelines.Lift(ctx, s.post.ID, at, s.ids)
}

// smaller returns the account, or the audience of a post if the audience has fewer index documents. It costs four reads,
// unless both are the same.
func (x *Ranking) smaller(ctx context.Context, account string, post *posts.Post) (string, error) {
	if post.Audience == account {
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

// following returns the readers, among ids, who follow an account. It costs a read for each id.
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
