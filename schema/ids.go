package schema

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ids come from clients and servers. For a document whose id exceeds these limits, functions derive nothing:
// functions and commands skip the document, report it, and continue. The rules limit clients to shorter ids:
// accounts of 128 bytes, as those of Firebase, and posts of 700.
const (
	// MaxIDBytes is the most bytes of UTF-8 in a Firestore id ("Quotas and limits", read November 2026). Our
	// longest path, users/{u}/followers/{f}, has two ids within the 6 KiB of a name.
	MaxIDBytes = 1500

	// MaxAccountIDBytes is the longest id, in bytes, of an account or a group, as author or follower. Queries
	// find accounts by the values of fields: userId, audience, to, followers, accounts. Firestore indexes
	// 1,500 bytes of a value, and a text has one byte more than its characters. A filter by a longer text
	// fails (found on the emulator).
	MaxAccountIDBytes = 1499

	// MaxPostIDBytes is the longest id of a post, in bytes. In timelines of buckets and days, the id is part
	// of a field path, entries.`{p}`.hidden. A field path has at most 1,500 bytes, and each ` and \ in the id
	// counts twice ("Quotas and limits"). The same limit applies to the ids in refs if posts copy their
	// fields: refNames.`{u}`.
	MaxPostIDBytes = 700
)

// ErrBadID is the error of an invalid id: functions derive nothing from it.
var ErrBadID = errors.New("strange id")

// CheckID returns an ErrBadID if id cannot be a document's id. It also rejects ids that only an import from
// Datastore makes: __id5__ stands for a number, which Firestore sorts before all texts.
func CheckID(id string) error { return checkID(id, "an id", MaxIDBytes) }

// CheckAccountID returns an ErrBadID if id is not the id of an account or a group: see [MaxAccountIDBytes]. It
// also rejects control characters other than a tab. The emulator (1.19.9) sends no events of a document with a
// line break in its id, and loses a field whose name has one.
func CheckAccountID(id string) error { return checkPrintable(id, "an account's", MaxAccountIDBytes) }

// CheckPostID returns an ErrBadID if id is not the id of a post: see [MaxPostIDBytes] and [CheckAccountID].
func CheckPostID(id string) error { return checkPrintable(id, "a post's", MaxPostIDBytes) }

// CheckFollow returns an error if f cannot follow u. Such a follower document is not indexed, and stays
// unchanged.
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

// reserved reports whether Firestore reserves an id: ids that match __.*__, where . matches no line break. A
// regular expression would be compiled at each start.
func reserved(id string) bool {
	return len(id) >= 4 && strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__") && !strings.Contains(id, "\n")
}
