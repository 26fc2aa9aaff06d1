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
// reader's or another version's. The reader begins again without a cursor.
var ErrCursor = errors.New("cursor does not belong to this reader's feed")

const (
	cursorVersion = 1 // the first byte; another layout gets another number

	checksumBytes = 8

	// maxRelationID is the longest relation id in a cursor, in bytes. Ids of package
	// relations have at most 70: 64 of the post's id or its hash, an underscore, five
	// digits.
	maxRelationID = 128

	// maxCursor is the longest text of a cursor: version, time, number of shown, shown,
	// relation id, checksum.
	maxCursor = (1 + 8 + 1 + maxRelationID + maxRelationID + checksumBytes) * 4 / 3
)

// cursor is a place in a reader's feed: right after a relation. The zero value is the
// beginning.
//
// A cursor is not secret. The query filters by the reader's own id, which comes from a
// verified token and not from the cursor. So a forged cursor can only choose where a
// page of the forger's own feed begins. It shows nothing that a client could not page
// to. The checksum detects a cursor that was cut, or is used with another account,
// which would otherwise give a wrong page.
type cursor struct {
	createdAt time.Time // of the relation
	relation  string    // its id; "" at the beginning

	// shown marks posts that were returned, have a relation with this createdAt, and
	// may have another one further on. A reader who moves between two index documents
	// of an author is in two relations of one post.
	//
	// Each entry is the length of the post's part of relation, "p1" of "p1_00002".
	// Other posts need no entry: all relations of a post begin with its part, and so
	// does every id that sorts between two of them.
	shown []byte
}

// encode returns the cursor as text, for one reader; "" at the beginning.
func (c cursor) encode(reader string) string {
	if c.relation == "" {
		return ""
	}
	b := append(make([]byte, 0, maxCursor), cursorVersion)
	b = binary.BigEndian.AppendUint64(b, uint64(c.createdAt.UnixMicro()))
	b = append(b, byte(len(c.shown))) //nolint:gosec // at most maxRelationID
	b = append(b, c.shown...)
	b = append(b, c.relation...)
	sum := checksum(b, reader)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:]...))
}

// parseCursor reverses encode; "" is the beginning. For a text that encode cannot have
// made, it returns [ErrCursor].
func parseCursor(text, reader string) (cursor, error) {
	if text == "" {
		return cursor{}, nil
	}
	if len(text) > maxCursor {
		return cursor{}, fmt.Errorf("%w: it has %d characters, more than %d", ErrCursor, len(text), maxCursor)
	}
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || len(b) < 1+8+1+checksumBytes || b[0] != cursorVersion {
		return cursor{}, ErrCursor
	}
	b, sum := b[:len(b)-checksumBytes], b[len(b)-checksumBytes:]
	want := checksum(b, reader)
	if subtle.ConstantTimeCompare(sum, want[:]) != 1 {
		return cursor{}, ErrCursor
	}
	micros, shown, rest := int64(binary.BigEndian.Uint64(b[1:])), int(b[9]), b[10:] //nolint:gosec // as in encode
	if shown > len(rest) {
		return cursor{}, ErrCursor
	}
	c := cursor{createdAt: time.UnixMicro(micros).UTC(), relation: string(rest[shown:])}
	if shown > 0 {
		c.shown = rest[:shown]
	}
	if err := c.check(); err != nil {
		return cursor{}, err
	}
	if c.encode(reader) != text { // several base64 texts decode to the same bytes
		return cursor{}, ErrCursor
	}
	return c, nil
}

// check rejects a cursor that Firestore would reject in a query, although its checksum
// is right.
func (c cursor) check() error {
	if err := schema.CheckID(c.relation); err != nil || len(c.relation) > maxRelationID {
		return fmt.Errorf("%w: its relation id is invalid", ErrCursor)
	}
	if year := c.createdAt.Year(); year < 1 || year > 9999 {
		return fmt.Errorf("%w: its year is out of range", ErrCursor)
	}
	last := 0
	for _, n := range c.shown {
		if int(n) <= last || int(n) >= len(c.relation) || c.relation[n] != '_' {
			return fmt.Errorf("%w: its post or author id is invalid", ErrCursor)
		}
		last = int(n)
	}
	return nil
}

// checksum depends on the reader, so that another reader's cursor is rejected.
func checksum(payload []byte, reader string) (sum [checksumBytes]byte) {
	readers := sha256.Sum256([]byte(reader)) // 32 bytes: reader and payload cannot mix
	all := sha256.Sum256(append(readers[:], payload...))
	copy(sum[:], all[:])
	return sum
}

// after returns the cursor right after a relation, which is beyond c. given reports
// whether the page that ends there contains the relation's post.
func (c cursor) after(r relation, given bool) cursor {
	next := cursor{createdAt: r.CreatedAt, relation: r.id}
	own := postPart(r.id)
	for n := range len(r.id) {
		if r.id[n] != '_' {
			continue
		}
		if part := r.id[:n]; given && part == own || c.hasShown(part, r.CreatedAt) {
			next.shown = append(next.shown, byte(n))
		}
	}
	return next
}

// hasShown reports whether a post with relations at createdAt was returned. part is the
// post's part of their ids.
func (c cursor) hasShown(part string, createdAt time.Time) bool {
	if !createdAt.Equal(c.createdAt) {
		return false
	}
	for _, n := range c.shown {
		if c.relation[:n] == part {
			return true
		}
	}
	return false
}

// postPart returns the post's part of a relation's id: "p1" of "p1_00002".
func postPart(relationID string) string {
	return relationID[:max(0, strings.LastIndexByte(relationID, '_'))]
}
