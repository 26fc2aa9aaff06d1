package schema

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ids come from clients and servers. Whoever writes a document whose id exceeds these limits gets
// nothing derived from it: functions and commands skip it, say so, and go on. The rules let
// clients write less: accounts of 128 bytes, as those of Firebase, and posts of 700.
const (
	// MaxIDBytes is how many bytes of UTF-8 Firestore takes in an id ("Quotas and limits",
	// read November 2026). Our longest path, users/{u}/followers/{f}, has two ids in the
	// 6 KiB of a name.
	MaxIDBytes = 1500

	// MaxAccountIDBytes is the longest id, in bytes, of an account or a group, whether it
	// follows or is followed. We look for accounts by the values of fields: userId, audience,
	// to, followers, accounts. Firestore indexes 1,500 bytes of a value, and a text has one
	// more than its characters. A filter by a longer one fails (found on the emulator).
	MaxAccountIDBytes = 1499

	// MaxPostIDBytes is the longest id of a post, in bytes. In timelines of buckets and days it
	// is a part of a field's path, entries.`{p}`.hidden, which has 1,500 bytes at most, with a
	// second one for each ` and \ in the id ("Quotas and limits").
	// The same limits the ids in refs of which posts copy fields: refNames.`{u}`.
	MaxPostIDBytes = 700
)

// ErrBadID is the error of an id that we derive nothing from.
var ErrBadID = errors.New("strange id")

// CheckID returns an ErrBadID if id cannot be a document's id, or is one that only an import
// from Datastore makes: __id5__ stands for a number, which Firestore sorts before all texts.
func CheckID(id string) error { return checkID(id, "an id", MaxIDBytes) }

// CheckAccountID returns an ErrBadID if id is not an account's or a group's, see
// [MaxAccountIDBytes], or has a control character other than a tab: the emulator (1.19.9) sends no
// events of a document with a line break in its id, and loses a field whose name has one.
func CheckAccountID(id string) error { return checkPrintable(id, "an account's", MaxAccountIDBytes) }

// CheckPostID returns an ErrBadID if id is not a post's, see [MaxPostIDBytes] and [CheckAccountID].
func CheckPostID(id string) error { return checkPrintable(id, "a post's", MaxPostIDBytes) }

// CheckFollow reports why f cannot follow u. Such a follower document is not indexed, and
// stays as it is.
func CheckFollow(u, f string) error {
	if u == f {
		return errors.New("an author cannot follow themselves")
	}
	if err := CheckAccountID(u); err != nil {
		return err
	}
	return CheckAccountID(f)
}

func checkPrintable(id, whose string, limit int) error {
	if strings.ContainsFunc(id, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }) {
		return fmt.Errorf("%w: it has a control character", ErrBadID)
	}
	return checkID(id, whose, limit)
}

func checkID(id, whose string, limit int) error {
	switch {
	case id == "":
		return fmt.Errorf("%w: it is empty", ErrBadID)
	case len(id) > limit:
		return fmt.Errorf("%w: it has %d bytes, %s may have %d", ErrBadID, len(id), whose, limit)
	case !utf8.ValidString(id):
		return fmt.Errorf("%w: it is not UTF-8", ErrBadID)
	case id == "." || id == "..":
		return fmt.Errorf("%w: %q is reserved", ErrBadID, id)
	case reserved(id):
		return fmt.Errorf("%w: %q is reserved (it begins and ends with __)", ErrBadID, id)
	case strings.Contains(id, "/"):
		return fmt.Errorf("%w: it contains a slash", ErrBadID)
	}
	return nil
}

// reserved reports whether Firestore reserves an id: ids that match __.*__, where . is no
// line break. A regular expression would be compiled at each start.
func reserved(id string) bool {
	return len(id) >= 4 && strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__") && !strings.Contains(id, "\n")
}
