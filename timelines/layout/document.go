package layout

import (
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// Document is a document of a timeline as it was read, in any layout. Fields that are missing or cannot be
// decoded are zero.
type Document struct {
	Ref     *firestore.DocumentRef
	Exists  bool
	Updated time.Time
	Entries map[string]Entry // by post
	Posts   []string         // the field posts
	Named   []string         // the field accounts
	Whole   bool             // false: only one post's entry was read

	// Of buckets. Ring is zero if the document does not say. Only open has a Total.
	Ring            Ring
	Sequence, Total int64
	from, to        place

	shape    shape
	expireAt time.Time // of items; zero: never
}

// shape is the layout that a document was written in.
type shape int

const (
	foreign shape = iota // none
	item
	bucket
	day
)

// shapeOf returns the shape of a document, by its fields, or by its name if the fields are damaged.
func shapeOf(id string, data map[string]any) shape {
	_, isBucketed := data[FieldSequence].(int64)
	_, isDay := data[FieldDay].(string)
	_, isItem := data[fieldPost].(string)
	_, err := time.Parse(time.DateOnly, id)
	switch {
	case isBucketed, !isDay && !isItem && isBucket(id):
		return bucket
	case isDay, !isItem && err == nil:
		return day
	default:
		return item
	}
}

// Foreign reports whether the document has no known layout: something else wrote it.
func (d Document) Foreign() bool { return d.shape == foreign }

// Any reports whether one of the entries matches.
func (d Document) Any(match func(Entry) bool) bool {
	for _, e := range d.Entries {
		if match(e) {
			return true
		}
	}
	return false
}

// Reader returns the reader of the timeline.
func (d Document) Reader() string { return d.Ref.Parent.Parent.ID }

// FieldsFor returns the fields to read of a document for a change of a post's entry. Read then returns a
// Document that is not Whole.
func FieldsFor(post string) []firestore.FieldPath {
	fields := []firestore.FieldPath{{fieldEntries, post}, {FieldPosts}, {FieldDay}, {FieldSequence}, {FieldTotal}, {FieldFrom}, {FieldTo}, {fieldExpireAt}, {fieldCreated}, {fieldMark}}
	for _, name := range entryFields() {
		fields = append(fields, firestore.FieldPath{name})
	}
	return fields
}

// Read decodes a document of a timeline.
func Read(snap *firestore.DocumentSnapshot) Document {
	doc := Document{Ref: snap.Ref, Exists: snap.Exists(), Updated: snap.UpdateTime, Entries: map[string]Entry{}, Whole: true}
	if !doc.Exists {
		doc.shape = shapeOf(snap.Ref.ID, nil)
		return doc
	}
	data := schema.FieldsOf(snap, append(entryFields(), fieldMark, fieldCreated, fieldEntries, FieldPosts, FieldAccounts, FieldDay,
		FieldSequence, FieldTotal, FieldFrom, FieldTo, FieldSize, FieldSlots, fieldExpireAt)...)
	doc.Posts, doc.Named = texts(data[FieldPosts]), texts(data[FieldAccounts])
	switch doc.shape = shapeOf(snap.Ref.ID, data); {
	case doc.shape == item && data[fieldPost] != snap.Ref.ID && !slices.Contains(doc.Posts, snap.Ref.ID):
		doc.shape = foreign
		return doc
	case doc.shape == item:
		e := readEntry(data)
		e.Created, _ = data[fieldCreated].(int64)
		doc.Entries[snap.Ref.ID] = e
		doc.expireAt, _ = data[fieldExpireAt].(time.Time)
		return doc
	}
	entries, _ := data[fieldEntries].(map[string]any)
	for post, value := range entries {
		fields, _ := value.(map[string]any)
		doc.Entries[post] = readEntry(fields)
	}
	doc.Sequence, _ = data[FieldSequence].(int64)
	doc.Total, _ = data[FieldTotal].(int64)
	doc.from, doc.to = readPlace(data[FieldFrom]), readPlace(data[FieldTo])
	size, _ := data[FieldSize].(int64)
	if slots, ok := data[FieldSlots].(int64); ok && size > 0 && slots >= 0 {
		doc.Ring = Ring{int(size), slots}
	}
	return doc
}

// Opens reports whether an entry of open is newer than all closed entries. Other entries of open are damage: a
// page that follows a closed bucket must not go back to them.
func (d Document) Opens(e Entry) bool { return !d.from.none() && placeOf(e).compare(d.from) > 0 }

// moves reports whether an edited entry belongs in another document, where an addition would look for it. A
// closed bucket does not store where the next one begins. So an entry between the two counts as moved,
// although the addition leaves the entry there and extends the bucket.
func (d Document) moves(was, now Entry) bool {
	switch at := placeOf(now); {
	case d.shape == day:
		return DayOf(now) != d.Ref.ID
	case d.shape != bucket || was.At == now.At:
		return false
	case d.Ref.ID == OpenID:
		return !d.from.none() && at.compare(d.from) <= 0
	default:
		return d.from.none() || at.compare(d.from) < 0 || at.compare(d.to) > 0
	}
}

// BytesOf estimates the size of a document by its name: a whole bucket or day, or an item.
func BytesOf(ref *firestore.DocumentRef) int {
	switch shapeOf(ref.ID, nil) {
	case item:
		return 2 << 10
	case day:
		return schema.MaxDocumentBytes
	default:
		return maxBucketBytes
	}
}

// texts returns the strings of an array.
func texts(value any) (ids []string) {
	values, _ := value.([]any)
	for _, v := range values {
		if id, ok := v.(string); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// dataOf returns the fields that every document with a map of entries has.
func dataOf(entries map[string]Entry) map[string]any {
	all := make(map[string]any, len(entries))
	for post, e := range entries {
		all[post] = e.data()
	}
	return map[string]any{fieldEntries: all, FieldPosts: postsOf(entries), FieldAccounts: AccountsOf(entries)}
}

func postsOf(entries map[string]Entry) []string {
	return append([]string{}, slices.Sorted(maps.Keys(entries))...)
}

// AccountsOf returns the accounts that entries name, sorted.
func AccountsOf(entries map[string]Entry) []string {
	ids := []string{}
	for _, e := range entries {
		ids = append(ids, e.accounts()...)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// BytesOfEntries estimates the size of a map of entries.
func BytesOfEntries(entries map[string]Entry) (size int) {
	for _, e := range entries {
		size += e.bytes()
	}
	return size
}
