package timelines

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines/layout"
)

// MaxRebuild is how many of the newest posts a rebuild brings to a timeline without a cap.
const MaxRebuild = 10_000

// pageRebuild brings a reader the newest posts that reach them and are missing in the timeline, as many as the
// cap, oldest first. One page brings up to limit times PageFactor posts after the place after.
//
// Each page costs the reads of [readers.Reaching], a read for each document of the timeline, and then the cost
// of [Delivery.Bring].
//
// A fan-out that left the reader out had read the post, and the settings before they changed. So the post is
// among these newest posts. A crash leaves the rest to the event or the job. With [Options.Lifts], the job
// also brings again the entries created since the job was requested. These entries stay as they are. They only
// get the lift that is missing if a page failed between an entry and its lift.
func (x *Delivery) pageRebuild(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	reader := job.Args[schema.ArgReader]
	var since time.Time
	if asked, err := strconv.ParseInt(job.Args[schema.ArgSince], 10, 64); err == nil && x.opts.Lifts != nil {
		since = time.Unix(0, asked)
	}
	lacking := func() ([]readers.Reached, error) { return x.lacking(ctx, reader, since) }
	return x.bringAfter(ctx, reader, lacking, after, max(limit, 1)*x.opts.PageFactor, true)
}

// MostRebuilt returns how many of a reader's newest posts a rebuild reads.
func (x *Delivery) MostRebuilt() int {
	return cmp.Or(min(x.db.Config.Cap, MaxRebuild), MaxRebuild)
}

// Missing returns the posts that a rebuild of a reader's timeline brings, newest first. It also returns
// missing posts that a rebuild does not bring, because the reader blocks their author.
//
// It costs what [readers.Reaching] costs, and a read for each document of the timeline.
func (x *Delivery) Missing(ctx context.Context, reader string) ([]readers.Reached, error) {
	return x.lacking(ctx, reader, time.Time{})
}

// lacking is Missing. Unless since is zero, it also returns the posts whose documents in the timeline were
// created at since or later.
func (x *Delivery) lacking(ctx context.Context, reader string, since time.Time) ([]readers.Reached, error) {
	newest, err := readers.Reaching(ctx, x.db, reader, x.MostRebuilt(), x.opts.Backfill)
	if err != nil || len(newest) == 0 {
		return nil, err
	}
	lacks := map[string]bool{} // not the existing entries, which may be many more
	for _, p := range newest {
		lacks[p.ID] = true
	}
	for snap, err := range store.Documents(ctx, x.db.Timeline(reader).OrderBy(firestore.DocumentID, firestore.Asc).Select(layout.FieldPosts)) {
		if err != nil {
			return nil, err
		}
		if !since.IsZero() && !snap.CreateTime.Before(since) {
			continue
		}
		for _, p := range layout.Read(snap).Posts {
			delete(lacks, p)
		}
	}
	return slices.DeleteFunc(newest, func(p readers.Reached) bool { return !lacks[p.ID] }), nil
}
