package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
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

// clients are the collections that the suite writes as clients do.
var clients = []string{"users", "followers", "posts", "settings", "hidden", "comments", "blocked"}

// check compares the database with the oracle. Nothing may be in flight.
func (w *world) check(ctx context.Context, p process) error {
	errs := []error{w.checkFailed(ctx, p), w.checkNames(ctx)}
	docs, err := testkit.ReadDocuments(ctx, w.client, clients, nil)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, wrong := range w.history.End(now, docs) {
		errs = append(errs, errors.New(wrong))
	}
	o := oracle.New(w.history, oracle.Config{Settings: w.suite.Decides, Idle: Idle, Ranked: w.suite.Ranks, Groups: w.suite.Groups, Keep: w.suite.Keeps}, now)
	for _, reader := range slices.Sorted(maps.Keys(w.model.readers)) {
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
	entries := make([]oracle.Entry, len(feed))
	for n, s := range feed {
		entries[n] = oracle.Entry{Post: s.Post, At: s.At, Hidden: s.Hidden, Bucket: s.Bucket}
	}
	for _, wrong := range o.Reader(reader).Judge(entries) {
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

// isGroupsReceipt reports whether a path is the tombstone of a group, or the job that removed the
// group. Both have the group's id in their names. A group is no person, so the id may stay.
func isGroupsReceipt(path string) bool {
	for _, before := range []string{"_tombstones/", chunker.DefaultCollection + "/" + schema.PurgeJobID("")} {
		if id, ok := strings.CutPrefix(path, before); ok && schema.IsGroup(id) {
			return true
		}
	}
	return false
}

// mayName reports whether a document may still name a deleted post or account. A finished job and what
// clients wrote about a post may name the post. A reader's patterns may name accounts, and so may others' blocks.
func mayName(path, id string) bool {
	if !isPost(id) {
		return strings.HasSuffix(path, "/settings/feed") && !strings.Contains(path, id) || strings.HasSuffix(path, "/blocked/"+id)
	}
	return strings.HasPrefix(path, chunker.DefaultCollection) || strings.HasPrefix(path, "_hides/") ||
		strings.Contains(path, "/hidden/") || strings.Contains(path, "/comments/")
}

// checkNames returns an error for each document that names a deleted account or post.
func (w *world) checkNames(ctx context.Context) error {
	if len(w.model.gone) == 0 {
		return nil
	}
	documents, err := w.documents(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for path, data := range documents {
		if isGroupsReceipt(path) || strings.HasPrefix(path, names.Purging+"/") && data[schema.FieldExpireAt] != nil {
			continue // the mark of an ended purge is there until its time is over
		}
		named := map[string]bool{}
		see := func(text string) {
			for id := range w.model.gone {
				if strings.Contains(text, id) && !mayName(path, id) {
					named[id] = true
				}
			}
		}
		if see(path); strings.HasPrefix(path, "posts/") {
			delete(data, "audience") // posts to a deleted group stay
		}
		testkit.Texts(data, see)
		for _, id := range slices.Sorted(maps.Keys(named)) {
			errs = append(errs, fmt.Errorf("%s names %s, which is deleted", path, id))
		}
	}
	return errors.Join(errs...)
}
