package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/testkit"
	"example.com/relationindex/testkit/oracle"
)

// end handles the events that are left, finishes all jobs, and checks the case.
func (w *world) end(ctx context.Context, events ...event) error {
	p, err := w.process(ctx)
	if err != nil {
		return err
	}
	return errors.Join(p.settle(ctx, events...), w.check(ctx, p))
}

// endTwice calls end, then again with the events of what functions have deleted with an account or after a block.
func (w *world) endTwice(ctx context.Context, events ...event) error {
	if err := w.end(ctx, events...); err != nil || len(w.later) == 0 {
		return err
	}
	if err := w.end(ctx, w.took()...); err != nil {
		return fmt.Errorf("after the events of what functions deleted: %w", err)
	}
	return nil
}

// written are the collections that the suite writes as clients do.
var written = []string{"users", "followers", "posts", "settings", "hidden", "comments", "blocked"}

// check compares the database with the oracle. Nothing may be in flight.
func (w *world) check(ctx context.Context, p process) error {
	errs := []error{w.checkFailed(ctx, p)}
	docs, err := testkit.ReadDocuments(ctx, w.client, written, nil)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, wrong := range w.history.End(now, docs) {
		errs = append(errs, errors.New(wrong))
	}
	errs = append(errs, w.checkNames(ctx))
	o := oracle.New(w.history, oracle.Config{Settings: w.suite.Decides, Idle: Idle, Ranked: w.suite.Ranks, Groups: w.suite.Groups, Keep: w.suite.Keeps}, now)
	for _, reader := range w.history.Readers() {
		if err := w.checkFeed(ctx, p, o, reader); err != nil {
			errs = append(errs, fmt.Errorf("feed of %s: %w", reader, err))
		}
	}
	w.history.Rest(now)
	if p.Verify != nil {
		wrong, err := p.Verify(ctx)
		errs = append(errs, err)
		for _, what := range wrong {
			errs = append(errs, fmt.Errorf("verify: %s", what))
		}
	}
	return errors.Join(errs...)
}

// checkFeed compares a reader's feed with the oracle, and the stored total if the delivery has one.
func (w *world) checkFeed(ctx context.Context, p process, o *oracle.Oracle, reader string) error {
	feed, err := p.Feed(ctx, reader)
	if err != nil {
		return err
	}
	for _, wrong := range o.Reader(reader).Judge(feed) {
		err = errors.Join(err, errors.New(wrong))
	}
	if p.Total == nil || err != nil {
		return err
	}
	total, err := p.Total(ctx, reader)
	if err == nil && total != len(feed) {
		err = fmt.Errorf("total is %d of %d posts", total, len(feed))
	}
	return err
}

// checkFailed returns an error for each failed job.
func (w *world) checkFailed(ctx context.Context, p process) error {
	jobs, err := p.engine.List(ctx, 10, chunker.Failed)
	errs := []error{err}
	for _, job := range jobs {
		errs = append(errs, fmt.Errorf("job %s failed: %v", job.ID, job.Error))
	}
	return errors.Join(errs...)
}

// checkNames returns an error for each document that names a deleted account or post.
func (w *world) checkNames(ctx context.Context) error {
	accounts, posts := w.history.Gone()
	if len(accounts)+len(posts) == 0 {
		return nil
	}
	documents, err := w.documents(ctx)
	if err != nil {
		return err
	}
	for _, post := range posts { // no delivery handles what is below a deleted post
		maps.DeleteFunc(documents, func(path string, _ map[string]any) bool { return strings.HasPrefix(path, "posts/"+post+"/") })
	}
	var errs []error
	for _, wrong := range testkit.Leftovers(documents, accounts, posts) {
		errs = append(errs, errors.New(wrong))
	}
	return errors.Join(errs...)
}
