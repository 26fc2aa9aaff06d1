package feed

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"example.com/relationindex/schema"
)

// ErrCursor is the error for a cursor that was cut or altered, or that is another
// reader's, another slice's or another version's. The reader begins again without a
// cursor.
var ErrCursor = errors.New("cursor does not belong to this reader's feed")

// The first byte of a cursor. Another layout gets another number.
const (
	feedCursor  = 1
	sliceCursor = 2
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

// kind returns the first byte of the scope's cursors, and the longest name in them.
func (s scope) kind() (first byte, maxName int) {
	if s.ref == "" {
		return feedCursor, maxRelationID
	}
	return sliceCursor, schema.MaxIDBytes
}

// maxCursor returns the longest text of a cursor: its kind, time, number of shown, shown,
// name, checksum.
func (s scope) maxCursor() int {
	_, maxName := s.kind()
	bytes := 1 + 8 + 1 + maxName + checksumBytes
	if s.ref == "" {
		bytes += maxName // shown
	}
	return base64.RawURLEncoding.EncodedLen(bytes)
}

// position is a place in a list of entries: right after an entry. The zero value is the
// beginning.
type position struct {
	createdAt time.Time // of the entry
	name      string    // of the entry; "" at the beginning
}

// cursor is a place in a feed or a slice, as it goes to the client and back.
//
// A cursor is not secret. A feed's query filters by the reader's own id, which comes from
// a verified token and not from the cursor, and a slice checks each post for this reader.
// So a forged cursor can only choose where a page of the forger's own begins. It shows
// nothing that a client could not page to, but for a slice's, which may have the time and
// the id of a post that this reader may not read. The checksum detects a cursor that was
// cut, or is used with another account, which would otherwise give a wrong page.
type cursor struct {
	position

	// shown marks posts that were returned, have an entry with this createdAt, and may
	// have another one further on. A reader who moves between two index documents of an
	// author is in two relations of one post, and so is a follower whom the post names.
	//
	// Each item is the length of the entry's stem, "p1" of "p1_00002". Other posts need
	// no item: all relations of a post begin with its stem, and so does every id that
	// sorts between two of them.
	shown []byte
}

// encode returns the cursor as text; "" at the beginning.
func (c cursor) encode(s scope) string {
	if c.name == "" {
		return ""
	}
	kind, _ := s.kind()
	b := append(make([]byte, 0, s.maxCursor()), kind)
	b = binary.BigEndian.AppendUint64(b, uint64(c.createdAt.UnixMicro()))
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
		return cursor{}, nil
	}
	if most := s.maxCursor(); len(text) > most {
		return cursor{}, fmt.Errorf("%w: it has %d characters, more than %d", ErrCursor, len(text), most)
	}
	kind, _ := s.kind()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 1+8+1+checksumBytes || b[0] != kind {
		return cursor{}, ErrCursor
	}
	b, sum := b[:len(b)-checksumBytes], b[len(b)-checksumBytes:]
	want := s.checksum(b)
	if subtle.ConstantTimeCompare(sum, want[:]) != 1 {
		return cursor{}, ErrCursor
	}
	micros, shown, rest := int64(binary.BigEndian.Uint64(b[1:])), int(b[9]), b[10:] //nolint:gosec // as in encode
	if shown > len(rest) {
		return cursor{}, ErrCursor
	}
	c := cursor{position: position{createdAt: time.UnixMicro(micros).UTC(), name: string(rest[shown:])}}
	if shown > 0 {
		c.shown = rest[:shown]
	}
	if err := c.check(s); err != nil {
		return cursor{}, err
	}
	if c.encode(s) != text { // several base64 texts decode to the same bytes
		return cursor{}, ErrCursor
	}
	return c, nil
}

// check rejects a cursor that Firestore would reject in a query, although its checksum
// is right.
func (c cursor) check(s scope) error {
	if _, maxName := s.kind(); schema.CheckID(c.name) != nil || len(c.name) > maxName {
		return fmt.Errorf("%w: its document id is invalid", ErrCursor)
	}
	if year := c.createdAt.Year(); year < 1 || year > 9999 {
		return fmt.Errorf("%w: its year is out of range", ErrCursor)
	}
	if s.ref != "" && len(c.shown) > 0 {
		return fmt.Errorf("%w: a post is in a slice once", ErrCursor)
	}
	last := 0
	for _, n := range c.shown {
		if int(n) <= last || int(n) >= len(c.name) || c.name[n] != '_' {
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
	next := cursor{position: position{createdAt: e.createdAt, name: e.name}}
	if e.stem == "" {
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

// hasShown reports whether a post with entries at createdAt was returned.
func (c cursor) hasShown(stem string, createdAt time.Time) bool {
	if !createdAt.Equal(c.createdAt) {
		return false
	}
	for _, n := range c.shown {
		if c.name[:n] == stem {
			return true
		}
	}
	return false
}
