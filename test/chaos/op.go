package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is the kind of an operation.
type Kind string

// These are the kinds of operations. Each is one write of a client.
const (
	Follow        Kind = "follow"         // create users/{Author}/followers/{User}; with At, as an import
	Unfollow      Kind = "unfollow"       // delete the follow
	Block         Kind = "block"          // create users/{Author}/blocked/{User}; one of them may follow the other
	Unblock       Kind = "unblock"        // delete the block
	CreatePost    Kind = "post"           // create posts/{Post} of Author
	Redate        Kind = "redate"         // set a post's createdAt to At
	Reword        Kind = "reword"         // set a post's copied text
	Reassign      Kind = "reassign"       // change a post's author to NewAuthor
	DeletePost    Kind = "delete post"    // delete a post
	DeleteAccount Kind = "delete account" // delete users/{User}
	Return        Kind = "return"         // create users/{User} again, as soon as its purge allows
	Readdress     Kind = "readdress"      // set a post's audience
	Direct        Kind = "direct"         // set a post's `to`
	Hide          Kind = "hide"           // hide a post
	Show          Kind = "show"           // show a post again
	Close         Kind = "close"          // close User: follows need a request
	Open          Kind = "open"           // open User again
	Request       Kind = "request"        // create users/{Author}/requests/{User}
	Withdraw      Kind = "withdraw"       // delete a request, as User
	Decline       Kind = "decline"        // delete a request, as Author
	Accept        Kind = "accept"         // delete a request, and create users/{Author}/followers/{User}
	Overwrite     Kind = "overwrite"      // set users/{User} without merge, as a server without our fields does
	Remood        Kind = "remood"         // set a post's other copied field to a value of moods, named Text
	Forbidden     Kind = "forbidden"      // try a write as User that the rules must reject: Text of forbiddenWrites
	Rekind        Kind = "rekind"         // set a post's kind
	Decide        Kind = "decide"         // set hide and show in users/{User}/settings/feed
	See           Kind = "see"            // set seenAt in users/{User}/settings/feed to now or long ago, by Text
	Read          Kind = "read"           // set readAt in users/{User}/settings/read to At
	HidePost      Kind = "hide post"      // create users/{User}/hidden/{Post}
	UnhidePost    Kind = "unhide post"    // delete that document
	Rename        Kind = "rename"         // set the name of User to Text
	Comment       Kind = "comment"        // create posts/{Post}/comments/{Text} by User, for Audience
	Uncomment     Kind = "uncomment"      // delete the comment
	Like          Kind = "like"           // create posts/{Post}/likes/{User}
	Unlike        Kind = "unlike"         // delete the like
)

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
	To        []string      // the post's new `to`; of Reassign: unchanged
	Spared    bool          // the post may be gone, because its author's account came back
	PostKind  string        // the post's new kind
	Hide      []string      // the reader's new patterns
	Show      []string
}

// userID returns the id of the n-th account. No id is part of another.
func userID(n int) string { return fmt.Sprintf("user-%05d", n) }

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
	if o.Kind == Decide {
		words = append(words, fmt.Sprintf("hide %q show %q", o.Hide, o.Show))
	}
	if !o.At.IsZero() {
		words = append(words, o.At.Format("2006-01-02T15:04:05.999999Z07:00"))
	}
	return strings.Join(words, " ")
}

// document returns the path of the document that the operation writes.
func (o Op) document() string {
	switch o.Kind {
	case Follow, Unfollow:
		return "users/" + o.Author + "/followers/" + o.User
	case Block, Unblock:
		return "users/" + o.Author + "/blocked/" + o.User
	case Request, Withdraw, Decline, Accept:
		return "users/" + o.Author + "/requests/" + o.User
	case CreatePost, Redate, Reword, Remood, Reassign, Readdress, Direct, Hide, Show, DeletePost, Rekind:
		return "posts/" + o.Post
	case Decide, See:
		return settingsOf(o.User)
	case Read:
		return "users/" + o.User + "/settings/read"
	case HidePost, UnhidePost:
		return "users/" + o.User + "/hidden/" + o.Post
	case Comment, Uncomment:
		return "posts/" + o.Post + "/comments/" + o.Text
	case Like, Unlike:
		return "posts/" + o.Post + "/likes/" + o.User
	case DeleteAccount, Return, Overwrite, Close, Open, Rename:
		return "users/" + o.User
	case Forbidden:
		return "forbidden/" + o.Text // nothing is written
	}
	panic(fmt.Sprintf("chaos: operation of kind %q", o.Kind))
}

// accounts returns the accounts that the operation names.
func (o Op) accounts() []string {
	var accounts []string
	for _, u := range append([]string{o.User, o.Author, o.NewAuthor, o.Audience}, o.To...) {
		if u != "" && !slices.Contains(accounts, u) {
			accounts = append(accounts, u)
		}
	}
	return accounts
}

// subject returns the subject of the operation. Operations on the same subject are applied in their
// order. The blocks, requests and follows of two accounts are one subject: neither follows the other
// while one of the two blocks is there.
func (o Op) subject() string {
	switch o.Kind {
	case Follow, Unfollow, Block, Unblock, Request, Withdraw, Decline, Accept:
		return "pair " + min(o.User, o.Author) + " " + max(o.User, o.Author)
	default:
		return o.document()
	}
}

func settingsOf(reader string) string { return "users/" + reader + "/settings/feed" }

func followOf(follower, author string) string {
	return Op{Kind: Follow, User: follower, Author: author}.document()
}

// predecessors returns, for each operation, the operations that must be acknowledged before it is
// applied. These are the last one on its subject; for a comment and a like, the last one on the post;
// for the deletion of an account, the last one on each subject whose operations named the account. An
// operation that names a returned account comes after the return.
func predecessors(ops []Op) [][]int {
	last := map[string]int{}              // subject → operation
	naming := map[string]map[string]int{} // account → subject → operation
	back := map[string]int{}              // account → its return
	before := make([][]int, len(ops))
	for n, op := range ops {
		subject := op.subject()
		if p, ok := last[subject]; ok {
			before[n] = append(before[n], p)
		}
		last[subject] = n
		if p, ok := last["posts/"+op.Post]; ok && (op.Kind == Comment || op.Kind == Like) {
			before[n] = append(before[n], p)
		}
		if op.Kind == DeleteAccount {
			for _, p := range naming[op.User] {
				before[n] = append(before[n], p)
			}
		}
		for _, u := range op.accounts() {
			if p, ok := back[u]; ok {
				before[n] = append(before[n], p)
			}
			if naming[u] == nil {
				naming[u] = map[string]int{}
			}
			naming[u][subject] = n
		}
		if op.Kind == Return {
			back[op.User] = n
		}
	}
	return before
}
