package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

const (
	pipelinePosts = 10 // of each author, one a day
	pipelinePage  = 20
	pipelineBound = 7 * 24 * time.Hour
)

// pipelines asks an Enterprise database what one pipeline reads that takes a page of posts
// for many authors: equalAny, sort and limit, with a bound of a week and without. It prints
// the answer of Query Explain: the units of a page, of which package cost knows a range only.
// The database needs the indexes of firestore.indexes.json. It writes 10,000 posts.
func pipelines(ctx context.Context, l *live) (answers []answer, err error) {
	posts := l.client.Collection(l.cfg.Collections().Posts)
	now := time.Now()
	var docs []*firestore.DocumentRef
	defer func() {
		err = errors.Join(err, l.inBulk(context.WithoutCancel(ctx), docs, func(w *firestore.BulkWriter, d *firestore.DocumentRef) (*firestore.BulkWriterJob, error) {
			return w.Delete(d)
		}))
	}()
	created := map[string]map[string]any{}
	for a := range l.authors {
		for p := range pipelinePosts {
			d := posts.Doc(fmt.Sprintf("%s-pipeline-%d-%d", l.author, a, p))
			docs = append(docs, d)
			created[d.ID] = map[string]any{
				"userId": l.followed(a), "audience": l.followed(a), "hidden": false, "text": strings.Repeat("x", 200),
				"createdAt": now.Add(-time.Duration(p)*24*time.Hour - time.Duration(a)*time.Second),
			}
		}
	}
	if err := l.inBulk(ctx, docs, func(w *firestore.BulkWriter, d *firestore.DocumentRef) (*firestore.BulkWriterJob, error) {
		return w.Set(d, created[d.ID])
	}); err != nil {
		return nil, err
	}
	for _, n := range []int{l.authors / 10, 3 * l.authors / 10, l.authors} {
		authors := make([]string, n)
		for a := range authors {
			authors[a] = l.followed(a)
		}
		of := firestore.EqualAny("audience", authors)
		for bound, where := range map[string]firestore.BooleanExpression{
			"":                         of,
			", of the last seven days": firestore.And(of, firestore.GreaterThan("createdAt", now.Add(-pipelineBound))),
		} {
			seen, err := l.explain(ctx, where)
			if err != nil {
				seen = fmt.Sprintf("refused, as on Standard edition: %v", err)
			}
			answers = append(answers, answer{seen: fmt.Sprintf("a page of %d posts for %d authors%s: %s", pipelinePage, n, bound, seen)})
		}
	}
	return answers, nil
}

func (l *live) followed(n int) string { return fmt.Sprintf("%s-author-%04d", l.author, n) }

// explain runs a pipeline, and returns what Query Explain says of it.
func (l *live) explain(ctx context.Context, where firestore.BooleanExpression) (string, error) {
	page := l.client.Pipeline().Collection(l.cfg.Collections().Posts).Where(where).
		Sort(firestore.Orders(firestore.Descending(firestore.FieldOf("createdAt")))).Limit(pipelinePage).
		Execute(ctx, firestore.WithExplainMode(firestore.ExplainModeAnalyze))
	found, err := page.Results().GetAll()
	if err != nil {
		return "", err
	}
	text, err := page.ExplainStats().Text()
	return fmt.Sprintf("%d posts\n%s", len(found), text), err
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
