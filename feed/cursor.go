package feed

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/relationindex/schema"
)

// ErrCursor is the error for a cursor that no Feed of this database made for this reader and this slice. Such a cursor
// was cut, altered or made up, or belongs to another reader, slice or version. The reader begins again without a cursor.
var ErrCursor = errors.New("cursor does not belong to this reader's feed")

// The first byte of a cursor. Another layout gets another number.
const (
	feedCursor  = 1 // of relations
	sliceCursor = 2
	pullCursor  = 3
	ownCursor   = 4 // of a timeline
)

// maxRelationID is the longest relation id in a cursor, in bytes. Ids of package
// relations have at most 70: 64 of the post's id or its hash, an underscore, five
// digits.
const maxRelationID = 128

// scope is the reader and the slice of a cursor. In any other scope, the cursor is rejected.
type scope struct {
	reader string
	ref    string // of a slice; "" for the reader's feed
}

// maxPayload returns the most bytes of a cursor before it is sealed: its kind, time, number of shown, shown and name. A
// cursor of pull also has a second time, and a relation id with its length.
func (s scope) maxPayload() int {
	most := 1 + 8 + 1 + schema.MaxIDBytes
	if s.ref == "" {
		most += 8 + 1 + 2*maxRelationID
	}
	return most
}

// position is a place in a list of entries: right after an entry, or at the beginning.
type position struct {
	createdAt time.Time // of the entry; nothing further on is newer
	name      string    // of the entry; "" at the beginning, and where pull begins in the middle
	sequence  int64     // of a timeline of buckets: the bucket, which orders entries before createdAt
}

// latest is the latest time that Firestore stores.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// beginning is the position before all entries. It does not use the zero time, because a post may have that.
var beginning = cursor{position: position{createdAt: latest}}

// cursor is a place in a feed or a slice, in the form that the client receives and sends back.
//
// A cursor is sealed: see [sealer]. Cursors of a slice or of pull may contain the time and the id of a post that this
// reader may not read.
type cursor struct {
	position

	// shown marks returned posts that have an entry with this createdAt, and may have another entry further on. A
	// reader who moves between two index documents of an author is in two relations of one post, and so is a follower
	// whom the post names.
	//
	// Each item of shown is the length of an entry's stem: "p1" of "p1_00002". That stem begins the name of one
	// relation: the field name, or in pull the field relation. Other posts need no item: all relations of a post begin
	// with its stem, and so does every id that sorts between two of them.
	shown []byte

	// since is set only in pull. The page's list of followed accounts is at least as new.
	since time.Time
	// relation is the relation at which pages of relations ended, if their last createdAt is this cursor's, and ""
	// otherwise. Pull orders posts of that time by their own ids, and leaves out posts that these pages have passed: see
	// hasShown.
	relation string

	own bool // of a timeline
}

// pulled reports whether pull continues at the cursor.
func (c cursor) pulled() bool { return !c.since.IsZero() }

// pull returns a cursor of pull that continues where c, of relations, ends.
func (c cursor) pull(since time.Time) cursor {
	return cursor{position: position{createdAt: c.createdAt}, shown: c.shown, relation: c.name, since: since.UTC().Truncate(time.Microsecond)}
}

// kind returns the first byte of the cursor.
func (c cursor) kind(s scope) byte {
	switch {
	case s.ref != "":
		return sliceCursor
	case c.own:
		return ownCursor
	case c.pulled():
		return pullCursor
	default:
		return feedCursor
	}
}

// encode returns the cursor as bytes; none at the beginning.
func (c cursor) encode(s scope) []byte {
	if c.name == "" && c.relation == "" {
		return nil
	}
	kind := c.kind(s)
	b := append(make([]byte, 0, s.maxPayload()), kind)
	b = binary.BigEndian.AppendUint64(b, uint64(c.createdAt.UnixMicro()))
	if kind == pullCursor {
		b = binary.BigEndian.AppendUint64(b, uint64(c.since.UnixMicro()))
		b = append(b, byte(len(c.relation))) //nolint:gosec // at most maxRelationID
		b = append(b, c.relation...)
	}
	if kind == ownCursor {
		b = binary.BigEndian.AppendUint64(b, uint64(c.sequence)) //nolint:gosec // as in decodeCursor
	}
	b = append(b, byte(len(c.shown))) //nolint:gosec // at most maxRelationID
	b = append(b, c.shown...)
	return append(b, c.name...)
}

// decodeCursor reverses encode. It returns [ErrCursor] for bytes that encode cannot have made for this scope: a feed of
// another release may have sealed them.
func decodeCursor(b []byte, s scope) (c cursor, err error) {
	whole := b
	take := func(n int) (part []byte) {
		if n > len(b) {
			b, err = nil, ErrCursor
			return make([]byte, n)
		}
		part, b = b[:n], b[n:]
		return part
	}
	at := func() time.Time {
		return time.UnixMicro(int64(binary.BigEndian.Uint64(take(8)))).UTC() //nolint:gosec // as in encode
	}
	kind := take(1)[0]
	c.createdAt = at()
	switch kind {
	case pullCursor:
		c.since = at()
		c.relation = string(take(int(take(1)[0])))
	case ownCursor:
		c.own, c.sequence = true, int64(binary.BigEndian.Uint64(take(8))) //nolint:gosec // as in encode
	}
	if shown := take(int(take(1)[0])); len(shown) > 0 {
		c.shown = shown
	}
	c.name = string(b)
	if err == nil {
		err = c.check(s)
	}
	if err == nil && !bytes.Equal(c.encode(s), whole) {
		err = ErrCursor
	}
	return c, err
}

// check rejects a cursor that Firestore would reject in a query.
func (c cursor) check(s scope) error {
	kind, most := c.kind(s), schema.MaxIDBytes
	if kind == feedCursor {
		most = maxRelationID
	}
	started := kind == pullCursor && c.name == "" && c.relation != "" // pull has passed no post yet
	if !started && (schema.CheckID(c.name) != nil || len(c.name) > most) {
		return fmt.Errorf("%w: the cursor's document id is invalid", ErrCursor)
	}
	if c.relation != "" && (schema.CheckID(c.relation) != nil || len(c.relation) > maxRelationID) {
		return fmt.Errorf("%w: the cursor's relation id is invalid", ErrCursor)
	}
	for _, at := range []time.Time{c.createdAt, c.since} {
		if year := at.Year(); year < 1 || year > 9999 {
			return fmt.Errorf("%w: the cursor's year is out of range", ErrCursor)
		}
	}
	if (kind == sliceCursor || kind == ownCursor) && len(c.shown) > 0 {
		return fmt.Errorf("%w: a cursor of a slice or a timeline must not list shown posts", ErrCursor)
	}
	relation := c.marked()
	last := 0
	for _, n := range c.shown {
		if int(n) <= last || int(n) >= len(relation) || relation[n] != '_' {
			return fmt.Errorf("%w: the cursor's post or author id is invalid", ErrCursor)
		}
		last = int(n)
	}
	return nil
}

// after returns the cursor right after an entry that is beyond c. given reports whether the page that ends there
// contains the entry's post.
func (c cursor) after(e entry, given bool) cursor {
	next := cursor{position: position{e.createdAt, e.name, e.sequence}, since: c.since, own: c.own}
	switch {
	case c.pulled() && e.createdAt.Equal(c.createdAt):
		next.relation, next.shown = c.relation, c.shown
		return next
	case c.pulled(), e.stem == "":
		return next
	}
	for n := range len(e.name) {
		if e.name[n] != '_' {
			continue
		}
		if stem := e.name[:n]; given && stem == e.stem || c.hasShown(stem, e.createdAt) {
			next.shown = append(next.shown, byte(n))
		}
	}
	return next
}

// marked returns the name of the relation to which shown applies.
func (c cursor) marked() string {
	if c.pulled() {
		return c.relation
	}
	return c.name
}

// hasShown reports whether a post with entries at createdAt was returned. The names of the post's relations begin with
// stem.
//
// In pull, hasShown also reports posts that pages of relations have left out. All relations of a post are before the
// last relation that these pages read, or all are after it. The exception is a last relation whose name begins with the
// post's stem too.
func (c cursor) hasShown(stem string, createdAt time.Time) bool {
	relation := c.marked()
	if relation == "" || !createdAt.Equal(c.createdAt) {
		return false
	}
	if first := stem + "_"; c.pulled() && !strings.HasPrefix(relation, first) {
		return first > relation
	}
	for _, n := range c.shown {
		if relation[:n] == stem {
			return true
		}
	}
	return false
}
