package timelines

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// Forget returns the documents that name a deleted account: those of the timelines of
// others, which lose its entries, and its own timeline, which goes. Posts that are kept
// stay with their recipients and in groups.
func (x *Delivery) Forget() []followers.Forgotten {
	return []followers.Forgotten{
		{Name: "timelines", Documents: x.namingAccount, Remove: x.forget},
		{Name: "timeline", Documents: func(u string) firestore.Query { return x.db.Timeline(u).Select() }},
	}
}

func (x *Delivery) namingAccount(u string) firestore.Query {
	return x.db.Client.CollectionGroup(names.Timeline).Where(layout.FieldAccounts, "array-contains", u).Select()
}

// forget removes the entries of an account from documents as they were listed. It reads
// them whole, a few at a time, and writes each: two reads and a write for a document.
//
// A crash leaves the others; the page is repeated.
func (x *Delivery) forget(ctx context.Context, u string, docs []*firestore.DocumentSnapshot) (stale int, err error) {
	docs = slices.DeleteFunc(slices.Clone(docs), func(doc *firestore.DocumentSnapshot) bool { return !layout.IsTimeline(x.db, doc.Ref) })
	return work.Each(ctx, x.graph.Pool, store.Chunks(docs, x.layout.WholePage(batchSize)), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
		var refs []*firestore.DocumentRef
		for _, doc := range part {
			refs = append(refs, doc.Ref)
		}
		now, err := x.db.Client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for n, doc := range now {
			if !doc.UpdateTime.Equal(part[n].UpdateTime) {
				return store.ErrStale
			}
		}
		return writeAll(ctx, x, x.listedOf(now), func(_ context.Context, tx *firestore.Transaction, part []listed) error {
			return x.without(tx, part, func(e layout.Entry) bool {
				return e.Audience == u || e.Author == u && !x.db.Options.KeepPosts
			})
		})
	})
}
