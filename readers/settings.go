package readers

import (
	"slices"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

// The fields of users/{r}/settings/feed.
const (
	FieldSeenAt = "seenAt" // the server's time of the reader's last visit, written at most once an hour
	FieldHide   = "hide"   // patterns, see [Settings.Hides]
	FieldShow   = "show"   // patterns
)

// FieldReadAt is the field of users/{r}/settings/read: at of the newest entry that the reader has seen.
const FieldReadAt = "readAt"

// Limits of a list, as in the rules for clients: the number of patterns, and their bytes with one more for each pattern.
// A server may write more: patterns beyond the limits are ignored.
const (
	maxPatterns  = 200
	maxListBytes = 12_800
)

// Held estimates the memory of a reader's settings in a transaction: some 50 patterns of 20 bytes, both as received and
// decoded. So 24 batches of 100 readers still fit [schema.MemoryBudget], beside their items. If all readers have lists
// as long as rules allow, these batches hold 123 MB, of 512 MiB. Without settings in the options, Held is 0.
func Held(db *schema.Database) int {
	if !db.Config.ReaderSettings {
		return 0
	}
	return 2 << 10
}

// Settings holds a reader's decisions. The zero value is that of a reader without the document: never seen, and nothing
// is hidden. Values of a wrong type are ignored.
type Settings struct {
	SeenAt time.Time // zero: never seen: see Idle
	Hide   []string
	Show   []string
}

// Decode decodes users/{r}/settings/feed, which may not exist.
func Decode(snap *firestore.DocumentSnapshot) (s Settings) {
	if snap == nil || !snap.Exists() {
		return s
	}
	data := schema.FieldsOf(snap, FieldSeenAt, FieldHide, FieldShow)
	s.SeenAt, _ = data[FieldSeenAt].(time.Time)
	s.Hide, s.Show = patterns(data[FieldHide]), patterns(data[FieldShow])
	return s
}

// ReadAt decodes users/{r}/settings/read, which may not exist. It returns how far the reader has read: zero if they have
// read nothing, or if the field is no time.
func ReadAt(snap *firestore.DocumentSnapshot) time.Time {
	if snap == nil || !snap.Exists() {
		return time.Time{}
	}
	at, _ := schema.FieldsOf(snap, FieldReadAt)[FieldReadAt].(time.Time)
	return at
}

// patterns returns the texts of an array, up to the limits.
func patterns(value any) (all []string) {
	values, _ := value.([]any)
	left := maxListBytes
	for _, v := range values[:min(len(values), maxPatterns)] {
		p, ok := v.(string)
		if !ok {
			continue
		}
		if left -= len(p) + 1; left < 0 {
			break
		}
		all = append(all, p)
	}
	return all
}

// Hides reports whether the reader hides posts of a kind by an author. A pattern is author/kind. A * in place of either
// or both matches all. The first of these patterns that is in Hide or Show decides; if it is in both, Hide does:
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

// HidesKind reports whether the reader hides a kind of posts by everybody.
func (s Settings) HidesKind(kind string) bool {
	return len(s.Show) == 0 && (slices.Contains(s.Hide, "*/"+kind) || slices.Contains(s.Hide, "*/*"))
}

// Idle reports whether the reader's last visit was longer ago than the options say; never if they say 0. A reader who
// was never seen counts as seen when idleness was turned on ([schema.Database.SetIdleSince]). If that time is unknown,
// such a reader counts as active. Idle costs no read.
func (s Settings) Idle(now time.Time, db *schema.Database) bool {
	seen := s.SeenAt
	if seen.IsZero() {
		seen = db.IdleSince()
	}
	return db.Config.Idle > 0 && !seen.IsZero() && now.Sub(seen) > db.Config.Idle
}
