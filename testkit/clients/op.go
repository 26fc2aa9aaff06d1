// Package clients has the one vocabulary of what clients do: operations as data, their writes to Firestore, the documents
// that are there after them, and random sequences of possible operations.
package clients

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of an operation.
type Kind string

// These are the kinds of operations. Each is one write of a client.
const (
	Follow        Kind = "follow" // with At, as an import
	Unfollow      Kind = "unfollow"
	Block         Kind = "block" // one of them may follow the other
	Unblock       Kind = "unblock"
	CreatePost    Kind = "post"   // a new post, or another one in place of a post
	Redate        Kind = "redate" // set a post's createdAt to At
	Reword        Kind = "reword" // set a post's copied text
	Reassign      Kind = "reassign"
	DeletePost    Kind = "delete post"
	DeleteAccount Kind = "delete account"
	Return        Kind = "return"    // create an account again, as soon as its purge allows
	Readdress     Kind = "readdress" // set a post's audience
	Direct        Kind = "direct"    // set a post's `to`
	Hide          Kind = "hide"
	Show          Kind = "show"
	Close         Kind = "close" // follows need a request from now on
	Open          Kind = "open"
	Request       Kind = "request"
	Withdraw      Kind = "withdraw"  // delete a request, as User
	Decline       Kind = "decline"   // delete a request, as Author
	Accept        Kind = "accept"    // delete a request, and create the follow
	Overwrite     Kind = "overwrite" // set users/{User} without merge, as a server without our fields does
	Remood        Kind = "remood"    // set a post's other copied field to a value of moods, named Text
	Forbidden     Kind = "forbidden" // try a write as User that the rules must reject: see [Try]
	Rekind        Kind = "rekind"    // set a post's kind
	Decide        Kind = "decide"    // set hide and show; with Text, seenAt as well
	See           Kind = "see"       // set seenAt, by Text: [SeenNow] or [SeenLongAgo]
	Read          Kind = "read"      // set readAt to At
	HidePost      Kind = "hide post"
	UnhidePost    Kind = "unhide post"
	Rename        Kind = "rename"  // set the name of User to Text
	Comment       Kind = "comment" // for Audience; Text is its id
	Uncomment     Kind = "uncomment"
	Like          Kind = "like"
	Unlike        Kind = "unlike"
)

// how is the way in which an operation writes its document.
type how int

const (
	whole  how = iota // the fields replace the document
	merge             // the fields are merged into the document
	update            // like merge; the document must exist
	remove
	look // a read, which rules reject
)

const (
	followPath   = "users/$author/followers/$user"
	blockPath    = "users/$author/blocked/$user"
	requestPath  = "users/$author/requests/$user"
	postPath     = "posts/$post"
	userPath     = "users/$user"
	settingsPath = "users/$user/settings/feed"
	hiddenPath   = "users/$user/hidden/$post"
	commentPath  = "posts/$post/comments/$text"
	likePath     = "posts/$post/likes/$user"
)

// kinds has the document that an operation of a kind writes, and how.
var kinds = map[Kind]struct {
	path string
	how  how
}{
	Follow: {followPath, whole}, Unfollow: {followPath, remove},
	Block: {blockPath, whole}, Unblock: {blockPath, remove},
	Request: {requestPath, whole}, Withdraw: {requestPath, remove}, Decline: {requestPath, remove}, Accept: {requestPath, remove},
	CreatePost: {postPath, whole}, DeletePost: {postPath, remove},
	Redate: {postPath, update}, Reword: {postPath, update}, Remood: {postPath, update}, Reassign: {postPath, update}, Readdress: {postPath, update},
	Direct: {postPath, update}, Hide: {postPath, update}, Show: {postPath, update}, Rekind: {postPath, update},
	Decide: {settingsPath, merge}, See: {settingsPath, merge}, Read: {"users/$user/settings/read", merge},
	HidePost: {hiddenPath, whole}, UnhidePost: {hiddenPath, remove},
	Comment: {commentPath, whole}, Uncomment: {commentPath, remove}, Like: {likePath, whole}, Unlike: {likePath, remove},
	DeleteAccount: {userPath, remove}, Return: {userPath, merge}, Overwrite: {userPath, whole},
	Close: {userPath, update}, Open: {userPath, update}, Rename: {userPath, update},
	Forbidden: {"forbidden/$text", look}, // nothing is written
}

// Op is one operation. It names every account that it concerns. So operations after an account's
// deletion do not have to consider the deletion.
type Op struct {
	Kind      Kind
	User      string        // the follower; also the blocked or deleted account
	Author    string        // the followed or blocking account, or the post's author before
	NewAuthor string        // of Reassign
	Post      string        // id of the post
	At        time.Time     // the post's new createdAt, unique; of a follow, an older time
	Ahead     time.Duration // unless 0: the post's createdAt is this long after the write, in place of At
	Text      string        // the post's new text; the value to set or try; the id of a comment
	Audience  string        // the post's new audience; "": nobody; of Reassign: unchanged; of Comment: none
	Old       bool          // the post has no audience field, like a post from before audiences
	Hidden    bool          // the new post is hidden
	To        []string      // the post's new `to`; of Reassign: unchanged
	Spared    bool          // the post may be gone, because its author's account came back
	PostKind  string        // the post's new kind
	Hide      []string      // the reader's new patterns
	Show      []string
}

// These are values of See, and of Decide with the time of a visit.
const (
	SeenNow     = "now"
	SeenLongAgo = "long ago"
)

// String describes the operation on one line.
func (o Op) String() string {
	words := []string{string(o.Kind)}
	for _, w := range []string{o.User, o.Author, o.NewAuthor, o.Post, o.Text, o.Audience} {
		if w != "" {
			words = append(words, w)
		}
	}
	if len(o.To) > 0 {
		words = append(words, fmt.Sprintf("to %v", o.To))
	}
	if o.PostKind != "" {
		words = append(words, fmt.Sprintf("kind %q", o.PostKind))
	}
	if o.Hidden {
		words = append(words, "hidden")
	}
	if o.Kind == Decide {
		words = append(words, fmt.Sprintf("hide %q show %q", o.Hide, o.Show))
	}
	if !o.At.IsZero() {
		words = append(words, o.At.Format("2006-01-02T15:04:05.999999Z07:00"))
	}
	return strings.Join(words, " ")
}

// Document returns the path of the document that the operation writes.
func (o Op) Document() string {
	return os.Expand(kinds[o.Kind].path, func(name string) string {
		switch name {
		case "author":
			return o.Author
		case "user":
			return o.User
		case "post":
			return o.Post
		default:
			return o.Text
		}
	})
}

// Accounts returns the accounts that the operation names.
func (o Op) Accounts() []string {
	var accounts []string
	for _, u := range append([]string{o.User, o.Author, o.NewAuthor, o.Audience}, o.To...) {
		if u != "" && !slices.Contains(accounts, u) {
			accounts = append(accounts, u)
		}
	}
	return accounts
}

// Subject returns the subject of the operation. Operations on the same subject are applied in their
// order. The blocks, requests and follows of two accounts are one subject: neither follows the other
// while one of the two blocks is there.
func (o Op) Subject() string {
	switch kinds[o.Kind].path {
	case followPath, blockPath, requestPath:
		return "pair " + min(o.User, o.Author) + " " + max(o.User, o.Author)
	default:
		return o.Document()
	}
}

// createdAt returns the post's createdAt if the operation is done now.
func (o Op) createdAt(now time.Time) time.Time {
	if o.Ahead != 0 {
		return now.Truncate(time.Millisecond).Add(o.Ahead)
	}
	return o.At
}

// UserID returns the id of the n-th account. No id is part of another.
func UserID(n int) string { return fmt.Sprintf("user-%05d", n) }

// GroupID returns the id of the n-th group.
func GroupID(n int) string { return fmt.Sprintf("g_group-%05d", n) }
