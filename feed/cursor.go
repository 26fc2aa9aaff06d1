package feed

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.com/relationindex/schema"
)

// ErrCursor is the error for a cursor that was cut or altered, or that is another
// reader's, another slice's or another version's. The reader begins again without a
// cursor.
var ErrCursor = errors.New("cursor does not belong to this reader's feed")

// The first byte of a cursor. Another layout gets another number.
const (
	feedCursor  = 1 // of relations
	sliceCursor = 2
	pullCursor  = 3
	ownCursor   = 4 // of a timeline
)

const (
	checksumBytes = 8

	// maxRelationID is the longest relation id in a cursor, in bytes. Ids of package
	// relations have at most 70: 64 of the post's id or its hash, an underscore, five
	// digits.
	maxRelationID = 128
)

// scope is what a cursor belongs to. In any other scope the cursor is rejected.
type scope struct {
	reader string
	ref    string // of a slice; "" for the reader's feed
}

// maxCursor returns the longest text of a cursor: its kind, time, number of shown, shown,
// name and checksum. That of pull has another time, and a relation after its length.
func (s scope) maxCursor() int {
	bytes := 1 + 8 + 1 + schema.MaxIDBytes + checksumBytes
	if s.ref == "" {
		bytes += 8 + 1 + 2*maxRelationID
	}
	return base64.RawURLEncoding.EncodedLen(bytes)
}

// position is a place in a list of entries: right after an entry, or at the beginning.
type position struct {
	createdAt time.Time // of the entry; nothing further on is newer
	name      string    // of the entry; "" at the beginning, and where pull begins in the middle
	sequence  int64     // of a timeline of buckets: the bucket, which orders entries before createdAt
}

// latest is the latest time that Firestore stores.
var latest = time.Date(9999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)

// beginning is before all entries. The zero time is no beginning: a post may have it.
var beginning = cursor{position: position{createdAt: latest}}

// cursor is a place in a feed or a slice, as it goes to the client and back.
//
// A cursor is not secret. A feed's query filters by the reader's own id, which comes from
// a verified token and not from the cursor, and a slice checks each post for this reader.
// So a forged cursor can only choose where a page of the forger's own begins. It shows
// nothing that a client could not page to, but for a slice's and pull's: these may have the
// time and the id of a post that this reader may not read. The checksum detects a cursor that was
// cut, or is used with another account, which would otherwise give a wrong page.
type cursor struct {
	position

	// shown marks posts that were returned, have an entry with this createdAt, and may
	// have another one further on. A reader who moves between two index documents of an
	// author is in two relations of one post, and so is a follower whom the post names.
	//
	// Each item is the length of the entry's stem, "p1" of "p1_00002", which the name of a
	// relation begins with: name, or in pull relation. Other posts need no item: all
	// relations of a post begin with its stem, and so does every id that sorts between
	// two of them.
	shown []byte

	// since is set in pull alone: its list of those followed is not older.
	since time.Time
	// relation is where pages of relations ended, if their last createdAt is this one, and
	// "" otherwise. Pull orders posts of that time by their own ids, and leaves out those
	// that the pages have passed: see hasShown.
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

// encode returns the cursor as text; "" at the beginning.
func (c cursor) encode(s scope) string {
	if c.name == "" && c.relation == "" {
		return ""
	}
	kind := c.kind(s)
	b := append(make([]byte, 0, s.maxCursor()), kind)
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
	b = append(b, c.name...)
	sum := s.checksum(b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:]...))
}

// parseCursor reverses encode; "" is the beginning. For a text that encode cannot have
// made, it returns [ErrCursor].
func parseCursor(text string, s scope) (cursor, error) {
	if text == "" {
		return beginning, nil
	}
	if most := s.maxCursor(); len(text) > most {
		return cursor{}, fmt.Errorf("%w: it has %d characters, more than %d", ErrCursor, len(text), most)
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < checksumBytes {
		return cursor{}, ErrCursor
	}
	b, sum := b[:len(b)-checksumBytes], b[len(b)-checksumBytes:]
	want := s.checksum(b)
	if subtle.ConstantTimeCompare(sum, want[:]) != 1 {
		return cursor{}, ErrCursor
	}
	c, err := decodeCursor(b)
	if err != nil {
		return cursor{}, err
	}
	if err := c.check(s); err != nil {
		return cursor{}, err
	}
	if c.encode(s) != text { // another scope's, or several base64 texts decode to the same bytes
		return cursor{}, ErrCursor
	}
	return c, nil
}

// decodeCursor decodes what encode has encoded, without its checksum.
func decodeCursor(b []byte) (c cursor, err error) {
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
	return c, err
}

// check rejects a cursor that Firestore would reject in a query, although its checksum
// is right.
func (c cursor) check(s scope) error {
	kind, most := c.kind(s), schema.MaxIDBytes
	if kind == feedCursor {
		most = maxRelationID
	}
	started := kind == pullCursor && c.name == "" && c.relation != "" // pull has passed no post yet
	if !started && (schema.CheckID(c.name) != nil || len(c.name) > most) {
		return fmt.Errorf("%w: its document id is invalid", ErrCursor)
	}
	if c.relation != "" && (schema.CheckID(c.relation) != nil || len(c.relation) > maxRelationID) {
		return fmt.Errorf("%w: its relation's id is invalid", ErrCursor)
	}
	for _, at := range []time.Time{c.createdAt, c.since} {
		if year := at.Year(); year < 1 || year > 9999 {
			return fmt.Errorf("%w: its year is out of range", ErrCursor)
		}
	}
	if (kind == sliceCursor || kind == ownCursor) && len(c.shown) > 0 {
		return fmt.Errorf("%w: a post is in a slice or a timeline once", ErrCursor)
	}
	relation := c.marked()
	last := 0
	for _, n := range c.shown {
		if int(n) <= last || int(n) >= len(relation) || relation[n] != '_' {
			return fmt.Errorf("%w: its post or author id is invalid", ErrCursor)
		}
		last = int(n)
	}
	return nil
}

// checksum depends on the scope, so that another reader's or slice's cursor is rejected.
func (s scope) checksum(payload []byte) (sum [checksumBytes]byte) {
	key := sha256.Sum256([]byte(s.reader)) // 32 bytes: reader, ref and payload cannot mix
	if s.ref != "" {
		key = sha256.Sum256(append(key[:], s.ref...))
	}
	all := sha256.Sum256(append(key[:], payload...))
	copy(sum[:], all[:])
	return sum
}

// after returns the cursor right after an entry, which is beyond c. given reports whether
// the page that ends there contains the entry's post.
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

// marked returns the name of the relation that shown is about.
func (c cursor) marked() string {
	if c.pulled() {
		return c.relation
	}
	return c.name
}

// hasShown reports whether a post with entries at createdAt was returned. stem is what the
// names of its relations begin with.
//
// In pull, it also reports posts that pages of relations have left out. All relations of a
// post are before the last one that these pages read, or all are after it, unless that
// one's name begins with the post's stem too.
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
