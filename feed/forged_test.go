package feed_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"example.com/relationindex/feed"
)

// forged is a cursor that anybody could make while cursors had a checksum over the reader, the ref and a
// place alone.
func forged(kind byte, reader, ref string, at time.Time, name string) string {
	b := binary.BigEndian.AppendUint64([]byte{kind}, uint64(at.UnixMicro()))
	switch kind {
	case 3:
		b = append(binary.BigEndian.AppendUint64(b, uint64(at.UnixMicro())), 0)
	case 4:
		b = binary.BigEndian.AppendUint64(b, 1)
	}
	b = append(append(b, 0), name...)
	key := sha256.Sum256([]byte(reader))
	if ref != "" {
		key = sha256.Sum256(append(key[:], ref...))
	}
	sum := sha256.Sum256(append(key[:], b...))
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:8]...))
}

// An outsider of a closed account learns neither ids nor times of its posts: not by the cursors that
// they get, and not by cursors that they make.
func TestCursorsOfASliceTellNothingOfClosedPosts(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	db.audiences()
	var posts []map[string]any
	for i := range feed.MaxPassed + 2 { // a page of one post ends among them
		posts = append(posts, map[string]any{"id": fmt.Sprintf("secret%04d", i), "userId": "shy", "audience": "shy", "hidden": false})
	}
	db.referring(posts...)
	learned := func(cursor string) (ids, times int) {
		b, err := base64.RawURLEncoding.DecodeString(cursor)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range posts {
			if bytes.Contains(b, []byte(p["id"].(string))) {
				ids++
			}
			if at := noon.Add(-time.Duration(i) * time.Second); bytes.Contains(b, binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro()))) {
				times++
			}
		}
		return ids, times
	}
	if p := db.slice(1, ""); p.Cursor == "" {
		t.Errorf("one page of one post reads %d that are closed", len(posts))
	} else if ids, times := learned(p.Cursor); ids+times > 0 {
		t.Errorf("a cursor tells %d ids and %d times of closed posts", ids, times)
	}
	for i := range posts {
		text := forged(2, "ada", "topic", noon.Add(time.Second-time.Duration(i)*time.Second), "~")
		p, err := db.Slice(t.Context(), "ada", "topic", 1, text)
		if errors.Is(err, feed.ErrCursor) {
			continue
		}
		ids, times := learned(p.Cursor)
		t.Fatalf("a place that the reader has made is accepted (%v), and tells %d ids and %d times of closed posts", err, ids, times)
	}
}

// Feed rejects cursors of every mode in the format of earlier releases, which anybody can forge.
func TestOldFormatCursorsAreRejected(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for kind, name := range map[byte]string{1: "p1_00001", 3: "p1", 4: "p1"} {
		if _, err := db.Page(t.Context(), "ada", 10, forged(kind, "ada", "", noon, name)); !errors.Is(err, feed.ErrCursor) {
			t.Errorf("kind %d: %v, want ErrCursor", kind, err)
		}
	}
}
