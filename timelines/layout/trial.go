package layout

import "cloud.google.com/go/firestore"

// Trial is a reader's buckets in memory. It plans as [Buckets.Add] does, and returns the cost.
type Trial struct {
	ring   Ring
	light  bool
	open   Document
	closed map[string]Document
}

// NewTrial returns the buckets of a reader who got these entries, the oldest first. light says that open is
// read without its entries.
func NewTrial(r Ring, light bool, entries []Entry) *Trial {
	t := &Trial{ring: r, light: light, open: Document{Ref: &firestore.DocumentRef{ID: OpenID}}, closed: map[string]Document{}}
	sequence, from := int64(1), place{}
	for len(entries) > 0 {
		some := entries[:min(r.Size, len(entries))]
		entries = entries[len(some):]
		b := newBuckets(r, Document{Ref: t.open.Ref, Exists: true, Sequence: sequence, Ring: r, from: from, Entries: map[string]Entry{}})
		for _, e := range some {
			b.entries[e.Post] = e
		}
		if len(entries) > 0 {
			from = placeOf(some[len(some)-1])
			b.written[r.Slot(sequence)] = &past{sequence: sequence, from: placeOf(some[0]), to: from, entries: b.entries}
			b.entries = nil
		}
		t.apply(b)
		sequence++
	}
	t.open.Total = 0
	for _, doc := range t.Documents() {
		t.open.Total += int64(len(doc.Entries))
	}
	return t
}

// Add adds entries, as one transaction does. It returns the reads and writes.
func (t *Trial) Add(entries []Entry, optional bool) (reads, writes int) {
	b := newBuckets(t.ring, t.open)
	if reads = 1; !t.open.Exists {
		reads++ // checks whether a bucket was ever closed
	} else if t.light && t.open.closedBy(entries) {
		reads++
	}
	for {
		b.reset()
		unknown := b.plan(entries, optional)
		if unknown == "" {
			break
		}
		reads++
		doc := t.closed[unknown]
		doc.Entries = nil // closed buckets are read without entries
		b.closed[unknown] = doc
	}
	if len(b.added)+len(b.written) == 0 {
		return reads, 0
	}
	t.apply(b)
	return reads, 1 + len(b.written)
}

func (t *Trial) apply(b *buckets) {
	for name, p := range b.written {
		all := p.entries
		if all == nil {
			all = t.closed[name].Entries
			for _, e := range p.added {
				all[e.Post] = e
			}
		}
		t.closed[name] = Document{
			Ref: &firestore.DocumentRef{ID: name}, Exists: true, Entries: all, Posts: postsOf(all),
			Sequence: p.sequence, from: p.from, to: p.to, Ring: t.ring, shape: bucket,
		}
	}
	t.open = Document{
		Ref: t.open.Ref, Exists: true, Entries: b.entries, Posts: postsOf(b.entries),
		Sequence: b.sequence, Total: b.total, from: b.from, Ring: t.ring, shape: bucket,
	}
}

// Remove removes the entry of a post.
func (t *Trial) Remove(post string) {
	for _, doc := range t.Documents() {
		if _, ok := doc.Entries[post]; ok {
			delete(doc.Entries, post)
			t.open.Total--
			if doc.Posts = postsOf(doc.Entries); doc.Ref.ID == OpenID {
				t.open.Posts = doc.Posts
			} else {
				t.closed[doc.Ref.ID] = doc
			}
		}
	}
}

// Documents returns open, and the closed buckets in any order.
func (t *Trial) Documents() []Document {
	docs := []Document{t.open}
	for _, doc := range t.closed {
		docs = append(docs, doc)
	}
	return docs
}
