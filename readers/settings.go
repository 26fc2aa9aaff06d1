package readers

import (
	"context"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// The fields of users/{r}/settings/feed.
const (
	FieldSeenAt = "seenAt" // the server's time when the reader was there, at most once an hour
	FieldReadAt = "readAt" // at of the newest entry that the reader has seen
	FieldHide   = "hide"   // patterns, see [Settings.Hides]
	FieldShow   = "show"   // patterns
)

// maxPatterns is how many patterns of a list count, as many as rules allow. A server may write
// more.
const maxPatterns = 200

// Settings is what a reader has decided. The zero value is that of a reader without the document:
// active, and nothing is hidden. What has a wrong type counts for nothing.
type Settings struct {
	SeenAt time.Time // zero: the reader counts as active
	ReadAt time.Time // zero: nothing is read
	Hide   []string
	Show   []string
}

// Decode decodes users/{r}/settings/feed, which may not exist.
func Decode(snap *firestore.DocumentSnapshot) (s Settings) {
	if snap == nil || !snap.Exists() {
		return s
	}
	data := schema.FieldsOf(snap, FieldSeenAt, FieldReadAt, FieldHide, FieldShow)
	s.SeenAt, _ = data[FieldSeenAt].(time.Time)
	s.ReadAt, _ = data[FieldReadAt].(time.Time)
	s.Hide, s.Show = patterns(data[FieldHide]), patterns(data[FieldShow])
	return s
}

// patterns returns the texts among the first maxPatterns values of an array.
func patterns(value any) (all []string) {
	values, _ := value.([]any)
	for _, v := range values[:min(len(values), maxPatterns)] {
		if p, ok := v.(string); ok {
			all = append(all, p)
		}
	}
	return all
}

// Hides reports whether the reader hides posts of a kind by an author. A pattern is
// author/kind. In place of each, * stands for all. Of these, the first one decides that is in
// Hide or in Show; Hide, if it is in both:
//
//	author/kind   author/*   */kind   */*
//
// So "show everything by Ann, and photos by nobody else" is Show ann/*, Hide */photo.
func (s Settings) Hides(author, kind string) bool {
	if len(s.Hide) == 0 {
		return false
	}
	for _, pattern := range []string{author + "/" + kind, author + "/*", "*/" + kind, "*/*"} {
		if slices.Contains(s.Hide, pattern) {
			return true
		}
		if slices.Contains(s.Show, pattern) {
			return false
		}
	}
	return false
}

// Idle reports whether the reader has not been there for longer than after; never if that is 0.
func (s Settings) Idle(now time.Time, after time.Duration) bool {
	return after > 0 && !s.SeenAt.IsZero() && now.Sub(s.SeenAt) > after
}

// Only returns a context whose reads of settings by name return the fields above alone.
func Only(ctx context.Context) context.Context {
	settings := func(document string) bool { return path.Base(path.Dir(document)) == names.Decided }
	return wire.WithMask(ctx, settings, FieldSeenAt, FieldReadAt, FieldHide, FieldShow)
}

// In reads the settings of readers in a transaction, under [Only], which costs a read for each.
// A reader who changes them waits for the commit, or the transaction fails. So of a change and a
// write that relies on the settings, one sees the other.
//
// Without settings, it costs nothing: everybody is active and hides nothing.
func In(tx *firestore.Transaction, db *schema.Database, readers []string) (map[string]Decision, error) {
	all := make(map[string]Decision, len(readers))
	if !db.Options.Settings || len(readers) == 0 {
		return all, nil
	}
	refs := make([]*firestore.DocumentRef, len(readers))
	for n, r := range readers {
		refs[n] = db.Decided(r)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for n, snap := range docs {
		s := Decode(snap)
		all[readers[n]] = Decision{s, s.Idle(snap.ReadTime, db.Options.Idle)}
	}
	return all, nil
}

// Decision is what a transaction has read of a reader.
type Decision struct {
	Settings
	IsIdle bool // when it was read
}

// Wants reports whether a fan-out brings the reader a post: if they are active, and do not hide
// its kind.
func (d Decision) Wants(author, kind string) bool { return !d.IsIdle && !d.Hides(author, kind) }

// Hidden returns which of posts a reader hides, read in a transaction, with a read for each; none
// without settings.
func Hidden(tx *firestore.Transaction, db *schema.Database, reader string, posts []string) (map[string]bool, error) {
	hidden := map[string]bool{}
	if !db.Options.Settings || len(posts) == 0 {
		return hidden, nil
	}
	refs := make([]*firestore.DocumentRef, len(posts))
	for n, p := range posts {
		refs[n] = db.HiddenPost(reader, p)
	}
	docs, err := tx.GetAll(refs)
	for n, snap := range docs {
		hidden[posts[n]] = snap.Exists()
	}
	return hidden, err
}
