package timelines

import (
	"context"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// Forget returns the documents that name a deleted account. Others' timelines lose its entries. Its own
// timeline, its settings, its read position and its comments are deleted. Kept posts stay with their
// recipients and in groups. The result is the same for every layout, and with timelines off.
func (x *Delivery) Forget() []followers.Forgotten {
	id, all, own := firestore.DocumentID, x.db.Client.CollectionGroup, func(u, collection string) firestore.Query { return x.db.User(u).Collection(collection).Select() }
	return []followers.Forgotten{
		{Name: "timelines", Documents: func(u string) firestore.Query {
			return all(names.Timeline).Where(layout.FieldAccounts, "array-contains", u).Select()
		}, Remove: x.forget},
		{Name: "timeline", Documents: func(u string) firestore.Query { return own(u, names.Timeline) }, Own: true},
		{Name: "settings", Documents: func(u string) firestore.Query {
			return own(u, names.ReaderSettings).Where(id, "in", []*firestore.DocumentRef{x.db.Decided(u), x.db.LastRead(u)})
		}, Clients: true},
		{Name: "hidden", Documents: func(u string) firestore.Query { return own(u, names.HiddenPosts) }, Clients: true},
		{Name: "rates", Documents: func(u string) firestore.Query { return own(u, names.Rates) }, Clients: true},
		{Name: "comments", Documents: func(u string) firestore.Query { return all(names.Comments).Where(schema.FieldUserID, "==", u).Select() }, Clients: true},
	}
}

// forget removes the entries of an account from documents as they were listed. A crash leaves the other
// documents; the page is repeated.
func (x *Delivery) forget(ctx context.Context, u string, docs []*firestore.DocumentSnapshot, while func(*firestore.Transaction) error) (stale int, err error) {
	theirs := func(e layout.Entry) bool { return e.Audience == u || e.Author == u && !x.db.Config.KeepPosts }
	return x.without(ctx, docs, func(tx *firestore.Transaction) (func(layout.Entry) bool, error) { return theirs, while(tx) })
}
