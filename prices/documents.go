package prices

import "example.com/relationindex/schema"

// document has the bytes of a kind of document. The stored bytes include the index entries. The sent
// bytes are those of an answer to a query, without what HTTP and TLS add. Ids of users have 28 bytes, ids
// of posts 20, and the fields that feeds show of a post have 200.
type document struct {
	stored, storedOfEntry, storedOfAuthor float64
	sent, sentOfEntry, sentOfAuthor       float64
}

// An entry is an id in a relation, or a post in a timeline. An author is one of the authors of these posts.
var (
	post      = document{stored: 1518, sent: 490} // as Feed sends it
	following = document{stored: 1058}            // a follow's two documents
	relation  = document{stored: 1096, storedOfEntry: 152, sent: 591, sentOfEntry: 33}
	item      = document{stored: 1600, sent: 629}
	bucket    = document{stored: 289, storedOfEntry: 763, storedOfAuthor: 384, sent: 356, sentOfEntry: 427, sentOfAuthor: 33}
	dayOfFeed = document{stored: 511, storedOfEntry: 757, storedOfAuthor: 378, sent: 233, sentOfEntry: 427, sentOfAuthor: 33}
)

// entryBytes is the size of a post in a bucket.
const entryBytes = 344

// indexBytes returns the bytes of an index document of n ids, with a full change log.
func indexBytes(n float64) float64 { return 183 + 29*n + min(64<<10, 49*n) }

// size returns the bytes of a document with this number of entries, by this number of authors.
func (d document) size(entries, authors float64) (stored, sent float64) {
	stored = d.stored + d.storedOfEntry*entries + d.storedOfAuthor*authors
	sent = d.sent + d.sentOfEntry*entries + d.sentOfAuthor*authors
	return stored, sent
}

// entriesOf returns the bytes of a timeline document with n posts.
func (a Author) entriesOf(layout string, n float64) (stored, sent float64) {
	authors := min(n, float64(max(1, a.Following)))
	switch layout {
	case schema.LayoutItems:
		return item.size(1, 1)
	case schema.LayoutBuckets:
		return bucket.size(n, authors)
	}
	return dayOfFeed.size(n, authors)
}

// graphBytes returns the stored bytes of the author's posts and followers. They are the same in every form.
func (a Author) graphBytes() float64 {
	return float64(a.Kept)*post.stored + float64(a.Followers)*following.stored + float64(a.IndexDocuments())*indexBytes(a.meanIDs())
}

// relationBytes returns the stored bytes of the author's relations.
func (a Author) relationBytes() float64 {
	stored, _ := relation.size(a.meanIDs(), 0)
	return float64(a.related()) * float64(a.IndexDocuments()) * stored
}

// timelineBytes returns the stored bytes of the author's entries in the timelines of all readers. A
// document with other authors' entries counts in part.
func (a Author) timelineBytes(x Timelines) float64 {
	n := 1.0
	switch x.Layout {
	case schema.LayoutBuckets:
		n = float64(x.Bucket)
	case schema.LayoutDays:
		n = float64(a.readerPerDay())
	}
	stored, _ := a.entriesOf(x.Layout, n)
	return float64(a.Followers) * float64(a.keptIn(x)) / n * stored
}
