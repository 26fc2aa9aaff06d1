package timelines

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
	"example.com/relationindex/timelines/layout"
)

// Problem is what is wrong with a document of a timeline.
type Problem struct {
	Document string `json:"document"` // its path below the database
	Post     string `json:"post,omitempty"`
	Problem  string `json:"problem"`
}

func (p Problem) String() string {
	if p.Post == "" {
		return p.Document + ": " + p.Problem
	}
	return p.Document + ": " + p.Post + ": " + p.Problem
}

// Checked counts what Check read.
type Checked struct {
	Timelines int64 `json:"timelines"`
	Documents int64 `json:"documents"`
	Entries   int64 `json:"entries"`
	Problems  int64 `json:"problems"`
}

// Check reads all timelines, and reports each entry that is not as its post says or is there
// twice, and each document that does not agree with itself. It changes nothing. Nothing may
// be in flight. It does not look for entries that are missing: [Delivery.Fill] brings these.
//
// It costs a read for each document, one for each entry, and one for each audience of a
// reader. It holds one timeline at a time.
func (x *Delivery) Check(ctx context.Context, report func(Problem), progress func(documents int64)) (Checked, error) {
	c := &checking{Delivery: x, report: report}
	var docs []layout.Document
	end := func() error {
		defer func() { docs = nil }()
		return c.timeline(ctx, docs)
	}
	q := x.db.Client.CollectionGroup(names.Timeline).OrderBy(firestore.DocumentID, firestore.Asc)
	for snap, err := range store.Documents(ctx, q) {
		if err != nil {
			return c.count, fmt.Errorf("check timelines: %w", err)
		}
		if !layout.IsTimeline(x.db, snap.Ref) {
			continue // an app's own collection
		}
		if c.count.Documents++; progress != nil {
			progress(c.count.Documents)
		}
		doc, ok := x.layout.Read(snap)
		if !ok {
			c.found(snap.Ref, "", "is no document of this layout")
			continue
		}
		if len(docs) > 0 && docs[0].Reader() != doc.Reader() {
			if err := end(); err != nil {
				return c.count, err
			}
		}
		docs = append(docs, doc)
	}
	return c.count, end()
}

// checking is one run of Check.
type checking struct {
	*Delivery
	report func(Problem)
	count  Checked
}

func (c *checking) found(doc *firestore.DocumentRef, post, problem string) {
	c.count.Problems++
	_, path, _ := strings.Cut(doc.Path, "/documents/")
	c.report(Problem{path, post, problem})
}

// timeline checks all documents of a reader.
func (c *checking) timeline(ctx context.Context, docs []layout.Document) error {
	if len(docs) == 0 {
		return nil
	}
	c.count.Timelines++
	for doc, problem := range c.layout.Check(docs) {
		c.found(docs[doc].Ref, "", problem)
	}
	in := map[string]*firestore.DocumentRef{} // by post
	follows := map[string]bool{}              // by audience
	for _, doc := range docs {
		ids := slices.Sorted(maps.Keys(doc.Entries))
		c.count.Entries += int64(len(ids))
		if !slices.Equal(ids, slices.Sorted(slices.Values(doc.Posts))) {
			c.found(doc.Ref, "", "posts does not name its entries")
		}
		for _, account := range layout.AccountsOf(doc.Entries) {
			if !slices.Contains(doc.Named, account) {
				c.found(doc.Ref, "", "accounts lacks "+account)
			}
		}
		for _, part := range store.Chunks(ids, batchSize) {
			if err := c.entries(ctx, doc, part, follows); err != nil {
				return err
			}
		}
		for _, p := range ids {
			if other := in[p]; other != nil {
				c.found(doc.Ref, p, "is in "+other.ID+" too")
			}
			in[p] = doc.Ref
		}
	}
	return nil
}

// entries checks entries of a document against their posts. follows remembers edges.
func (c *checking) entries(ctx context.Context, doc layout.Document, ids []string, follows map[string]bool) error {
	var refs []*firestore.DocumentRef
	for _, p := range ids {
		refs = append(refs, c.db.Post(p))
		if a := doc.Entries[p].Audience; schema.CheckAuthorID(a) == nil {
			if _, known := follows[a]; !known {
				follows[a] = false
				refs = append(refs, c.db.Edge(a, doc.Reader()))
			}
		}
	}
	snaps, err := c.db.Client.GetAll(ctx, refs)
	if err != nil {
		return fmt.Errorf("check %s: %w", doc.Ref.Path, err)
	}
	now := map[string]*posts.Post{}
	for _, snap := range snaps {
		if snap.Ref.Parent.ID == names.Following {
			follows[snap.Ref.ID] = schema.TextOf(snap, schema.FieldIndexID) != ""
		} else if post, err := posts.Decode(c.db.Options, snap); snap.Exists() && err == nil {
			now[snap.Ref.ID] = &post
		}
	}
	for _, p := range ids {
		e := doc.Entries[p]
		edits := c.editsOf(doc, p, now[p])
		switch {
		case len(edits.Gone) > 0:
			c.found(doc.Ref, p, "the post does not reach the reader, or belongs in another document")
		case len(edits.Now) > 0:
			c.found(doc.Ref, p, "is not as the post says")
		case e.Audience != "" && !follows[e.Audience] && !c.opts.KeepOnUnfollow:
			c.found(doc.Ref, p, "the reader does not follow "+e.Audience)
		}
	}
	return nil
}
