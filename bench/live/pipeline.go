package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

const (
	pipelinePosts = 10 // of each author, one a day
	pipelinePage  = 20
	pipelineBound = 7 * 24 * time.Hour
)

// pipelines asks an Enterprise database for a page of the newest posts of many authors, in
// two ways: equalAny with the authors' ids, with and without a bound of a week; and a join
// of the follow documents with the posts. It prints the answer of Query Explain, which has
// the units that a page reads: package cost has only a range for them. The database needs
// the indexes of firestore.indexes.json.
//
// It writes 10,000 posts and 1,400 follow documents. A rejected pipeline is an answer, not an error.
func pipelines(ctx context.Context, l *live) (answers []answer, err error) {
	c := l.cfg.Collections()
	now := time.Now()
	var docs []*firestore.DocumentRef
	defer func() {
		err = errors.Join(err, l.inBulk(context.WithoutCancel(ctx), docs, func(w *firestore.BulkWriter, d *firestore.DocumentRef) (*firestore.BulkWriterJob, error) {
			return w.Delete(d)
		}))
	}()
	created := map[string]map[string]any{} // by path
	create := func(d *firestore.DocumentRef, fields map[string]any) {
		docs = append(docs, d)
		created[d.Path] = fields
	}
	for a := range l.authors {
		for p := range pipelinePosts {
			create(l.client.Collection(c.Posts).Doc(l.pipelinePost(a, p)), map[string]any{
				"userId": l.followed(a), "audience": l.followed(a), "hidden": false, "text": strings.Repeat("x", 200),
				"createdAt": now.Add(-time.Duration(p)*24*time.Hour - time.Duration(a)*time.Second),
			})
		}
	}
	counts := []int{l.authors / 10, 3 * l.authors / 10, l.authors}
	for _, n := range counts {
		for a := range n {
			// No function has a trigger for this collection.
			create(l.client.Doc(l.following(n)+"/"+l.followed(a)), map[string]any{"createdAt": now})
		}
	}
	if err := l.inBulk(ctx, docs, func(w *firestore.BulkWriter, d *firestore.DocumentRef) (*firestore.BulkWriterJob, error) {
		return w.Set(d, created[d.Path])
	}); err != nil {
		return nil, err
	}
	for _, n := range counts {
		authors := make([]string, n)
		for a := range authors {
			authors[a] = l.followed(a)
		}
		of := firestore.EqualAny("audience", authors)
		rejected := false
		for bound, where := range map[string]firestore.BooleanExpression{
			"":                         of,
			", of the last seven days": firestore.And(of, firestore.GreaterThan("createdAt", now.Add(-pipelineBound))),
		} {
			found, stats, err := explain(ctx, newest(l.client.Pipeline().Collection(c.Posts).Where(where)))
			seen := fmt.Sprintf("%d posts\n%s", len(found), stats)
			if err != nil {
				rejected = true
				seen = fmt.Sprintf("rejected, as on Standard edition: %v", err)
			}
			answers = append(answers, answer{seen: fmt.Sprintf("a page of %d posts for %d authors%s: %s", pipelinePage, n, bound, seen)})
		}
		answers = append(answers, answer{seen: fmt.Sprintf("the newest posts of %d followed authors by a join with the follow documents: %s", n, l.join(ctx, n, rejected))})
	}
	return answers, nil
}

// join answers whether one pipeline finds the newest posts of n authors by the reader's
// follow documents. A subquery finds the newest posts of each author; the pipeline merges
// them. rejected is true if the database rejects pipelines without a join, too.
func (l *live) join(ctx context.Context, n int, rejected bool) string {
	id := firestore.GetDocumentID(firestore.FieldOf("__name__"))
	posts := newest(l.client.Pipeline().Collection(l.cfg.Collections().Posts).
		Where(firestore.Equal("audience", firestore.Variable("author")))).
		Select(firestore.Fields(id.As("id"), "createdAt", "text"))
	page := l.client.Pipeline().Collection(l.following(n)).
		Define(firestore.AliasedExpressions(id.As("author"))).
		Select(firestore.Fields(posts.ToArrayExpression().As("posts"))).
		UnnestWithAlias("posts", "post").
		Select(firestore.Fields(
			firestore.FieldOf("post.id").As("id"),
			firestore.FieldOf("post.createdAt").As("createdAt"),
			firestore.FieldOf("post.text").As("text"),
		))
	found, stats, err := explain(ctx, newest(page))
	if err != nil {
		if rejected {
			return fmt.Sprintf("no, rejected as on Standard edition: %v", err)
		}
		return fmt.Sprintf("no, rejected, although other pipelines are accepted: %v", err)
	}
	got := make([]string, len(found))
	for i, post := range found {
		got[i] = fmt.Sprint(post.Data()["id"])
	}
	var want []string
	for p := range pipelinePosts {
		for a := range n {
			want = append(want, l.pipelinePost(a, p))
		}
	}
	want = want[:min(len(want), pipelinePage)]
	if !slices.Equal(got, want) {
		return fmt.Sprintf("no, the pipeline returns other posts: %v instead of %v\n%s", got, want, stats)
	}
	return fmt.Sprintf("yes, %d posts\n%s", len(got), stats)
}

func (l *live) followed(n int) string { return fmt.Sprintf("%s-author-%04d", l.author, n) }

// pipelinePost returns the id of an author's post; 0 is the newest post.
func (l *live) pipelinePost(author, post int) string {
	return fmt.Sprintf("%s-pipeline-%d-%d", l.author, author, post)
}

// following returns the collection of follow documents of the reader who follows n authors.
func (l *live) following(n int) string {
	return fmt.Sprintf("%s/%s-reader-%d/%s", l.cfg.Collections().Users, l.author, n, names.Following)
}

// newest appends the stages that keep a page of the newest posts.
func newest(p *firestore.Pipeline) *firestore.Pipeline {
	return p.Sort(firestore.Orders(firestore.Descending(firestore.FieldOf("createdAt")))).Limit(pipelinePage)
}

// explain runs a pipeline, and returns its results and the text of Query Explain.
func explain(ctx context.Context, p *firestore.Pipeline) ([]*firestore.PipelineResult, string, error) {
	page := p.Execute(ctx, firestore.WithExplainMode(firestore.ExplainModeAnalyze))
	found, err := page.Results().GetAll()
	if err != nil {
		return nil, "", err
	}
	text, err := page.ExplainStats().Text()
	return found, text, err
}

// inBulk writes documents, and returns the first error.
func (l *live) inBulk(ctx context.Context, docs []*firestore.DocumentRef, write func(*firestore.BulkWriter, *firestore.DocumentRef) (*firestore.BulkWriterJob, error)) error {
	w := l.client.BulkWriter(ctx)
	jobs := make([]*firestore.BulkWriterJob, 0, len(docs))
	var failed error
	for _, d := range docs {
		job, err := write(w, d)
		if err != nil {
			failed = errors.Join(failed, err)
			break
		}
		jobs = append(jobs, job)
	}
	w.End()
	for _, job := range jobs {
		if _, err := job.Results(); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}
