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

// Task returns the task of the work of Comment that is too much for one call.
func (x *Ranking) Task() chunker.Task {
	return chunker.Task{Kind: schema.KindLift, Phases: []chunker.Phase{{Name: "entries", Page: x.graph.Adding(func(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
		return x.page(ctx, job, after, limit*readersOfPage)
	})}}}
}

// readersOfPage is how many readers a page has for each document of a job's page.
const readersOfPage = 10

// Comment lifts post p for whom comment c concerns: for each account of [schema.Ranking.Match], those
// of its followers who have the post in their timeline.
//
// It costs two reads. For each of these accounts, it walks the smaller side by their index documents,
// the account's followers or those of the post's audience: seven reads, or three if both are the same,
// one for each 10,000, one for each follower, on the second side another for each who follows the
// account; and a write for each entry that is lower. Of a post without an audience, it asks those whom the post
// names, with a read for each, and walks nobody's followers. So a comment costs about what a post of the
// commenter costs, with reads in place of writes.
//
// More than InlineLimit followers are left to a job of the post and the account, whose Generation is
// the highest rank so far. Comments that come while it runs share its next run, and cost a few reads
// and a write each. Jobs of one account share turns.
//
// Its event may come twice or late: a rank that is lower changes nothing. If it never comes, the post
// stays where it is. If it comes before the entry is there, whoever brings the entry lifts it: see
// [Ranking.Lifts]. If it comes before the event of a follow, and the follower has the post by another way already,
// only a repair lifts their entry.
func (x *Ranking) Comment(ctx context.Context, p, c string) error {
	if schema.CheckPostID(p) != nil {
		return nil // no timeline has it
	}
	comment, err := x.read(ctx, p, c)
	if err != nil || comment == nil {
		return err
	}
	accounts, at, err := x.concerns(ctx, *comment)
	if err != nil {
		return fmt.Errorf("ranking of %s: %w", x.db.Comment(p, c).Path, err)
	}
	var failed work.Failures // a damaged account holds up no other
	for _, account := range accounts {
		failed.Add(x.liftFor(ctx, p, account, at))
	}
	if err := failed.Joined(); err != nil {
		return fmt.Errorf("lifting of %s: %w", x.db.Post(p).Path, err)
	}
	return nil
}

// concerns returns for which accounts' followers a comment lifts its post, sorted, and to which at.
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

// liftFor lifts a post for an account's followers, or leaves that to a job.
//
// A crash before the job is stored leaves it to the event.
func (x *Ranking) liftFor(ctx context.Context, p, account string, at int64) error {
	args := map[string]string{schema.ArgPost: p, schema.ArgAuthor: account}
	some, err := x.next(ctx, args, nil, x.db.Config.InlineLimit)
	if err != nil {
		return err
	}
	if some.page.More {
		return x.graph.Engine().Enqueue(ctx, chunker.Spec{
			ID: schema.LiftJobID(p, account), Kind: schema.KindLift, Generation: strconv.FormatInt(at, 10), Ordered: true,
			Owner: schema.OwnerOf(account), Args: args, Private: true,
		})
	}
	return x.lift(ctx, some, at)
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
	comment := commentOf(docs[0], *post)
	return &comment, nil
}

// commentOf decodes a comment on a post. What cannot be decoded is missing.
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

// post reads a post; nil: it is gone or bad.
func (x *Ranking) post(ctx context.Context, p string) (*posts.Post, error) {
	post, _, err := posts.Current(ctx, x.db, p)
	if errors.Is(err, schema.ErrBadDocument) {
		return nil, nil //nolint:nilnil // the event's handler reports it
	}
	return post, err
}

// page raises the entries of a post to the highest rank that its job has been enqueued with, for up
// to limit readers after the cursor after. Of a higher one that comes meanwhile, the pages that are
// left take what they see, and the job starts over.
//
// Twice, it changes nothing. A crash leaves the rest to the job.
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

// part is whom a page lifts a post for. The zero value is nobody.
type part struct {
	post      *posts.Post
	ids       []string
	following string // the account, of which ids may be no followers; "": they are
	page      chunker.Page
}

// next returns who may have the post, of up to limit readers after the cursor after.
func (x *Ranking) next(ctx context.Context, args map[string]string, after *firestore.DocumentRef, limit int) (s part, err error) {
	account := args[schema.ArgAuthor]
	if s.post, err = x.post(ctx, args[schema.ArgPost]); err != nil || s.post == nil {
		return s, err
	}
	if s.post.Audience == "" { // only those whom it names have it
		s.ids, s.following = s.post.Recipients, account
		return s, nil
	}
	walked, err := x.smaller(ctx, account, s.post)
	if err != nil {
		return s, err
	}
	s.ids, s.page, err = x.timelines.Readers(ctx, walked, after, limit)
	if err != nil && !schema.OnlyDamaged(err) { // those of damaged index documents are left out
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

// smaller returns the account, or the audience of a post if that has fewer index documents. It costs
// four reads, unless both are the same.
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
