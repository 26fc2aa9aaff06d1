package chaos

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind is what an operation does.
type Kind string

// The kinds of operations, each one write of a client.
const (
	Follow        Kind = "follow"         // create users/{Author}/followers/{User}; with At, as an import does
	Unfollow      Kind = "unfollow"       // delete it
	Block         Kind = "block"          // create users/{Author}/blocked/{User}, who follows
	Unblock       Kind = "unblock"        // delete it
	CreatePost    Kind = "post"           // create posts/{Post} of Author
	Redate        Kind = "redate"         // set its createdAt to At
	Reword        Kind = "reword"         // set its copied text
	Reassign      Kind = "reassign"       // make it NewAuthor's
	DeletePost    Kind = "delete post"    // delete it
	DeleteAccount Kind = "delete account" // delete users/{User}
	Return        Kind = "return"         // create it again, as soon as its purge lets
	Readdress     Kind = "readdress"      // set a post's audience
	Direct        Kind = "direct"         // set its `to`
	Hide          Kind = "hide"           // hide it
	Show          Kind = "show"           // show it again
	Close         Kind = "close"          // have follows of User need a request
	Open          Kind = "open"           // and no longer
	Request       Kind = "request"        // create users/{Author}/requests/{User}
	Withdraw      Kind = "withdraw"       // delete it, as User
	Decline       Kind = "decline"        // delete it, as Author
	Accept        Kind = "accept"         // delete it, and create users/{Author}/followers/{User}
	Overwrite     Kind = "overwrite"      // set it as a server does that knows nothing of ours: without merge
	Remood        Kind = "remood"         // set a post's other copied field to a value of moods, named Text
	Forbidden     Kind = "forbidden"      // a write of User's that the rules have to refuse: Text of forbiddenWrites
	Rekind        Kind = "rekind"         // set a post's kind
	Decide        Kind = "decide"         // set hide and show in users/{User}/settings/feed
	See           Kind = "see"            // set seenAt in it: to now, or to long ago, as Text says
	Read          Kind = "read"           // set readAt in users/{User}/settings/read to At
	HidePost      Kind = "hide post"      // create users/{User}/hidden/{Post}
	UnhidePost    Kind = "unhide post"    // delete it
	Rename        Kind = "rename"         // set the name of User to Text
	Comment       Kind = "comment"        // create posts/{Post}/comments/{Text} by User, for Audience
	Uncomment     Kind = "uncomment"      // delete it
	Like          Kind = "like"           // create posts/{Post}/likes/{User}
	Unlike        Kind = "unlike"         // delete it
)

// Op is one operation. It names every account that it concerns, so that one
// that comes after the deletion of an account need not know of it.
type Op struct {
	Kind      Kind
	User      string        // the follower, also one who is blocked, or the account that is deleted
	Author    string        // whom User follows, who blocks User, or whose post it was before
	NewAuthor string        // of Reassign
	Post      string        // id of the post
	At        time.Time     // the post's createdAt from now on; no two are the same; of a follow, an older one
	Ahead     time.Duration // unless 0: the post's createdAt is so much after the moment of the write, and not At
	Text      string        // the post's text from now on; what is set, or tried; the id of a comment
	Audience  string        // the post's from now on; "": nobody, of Reassign: as it was; of Comment: "" is none
	Old       bool          // the post has no audience, as one from before there were any
	To        []string      // the post's from now on, of Reassign: as it was
	Spared    bool          // the post may be gone: it is of an account that came back
	PostKind  string        // the post's from now on
	Hide      []string      // the reader's patterns from now on
	Show      []string
}

// userID is the id of the n-th account, such that none is part of another.
func userID(n int) string { return fmt.Sprintf("user-%05d", n) }

// String tells the operation on one line.
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

// document is the path of the document that the operation writes.
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
		return "forbidden/" + o.Text // it writes nothing
	}
	panic(fmt.Sprintf("chaos: operation of kind %q", o.Kind))
}

// accounts are the accounts that the operation names.
func (o Op) accounts() []string {
	var accounts []string
	for _, u := range append([]string{o.User, o.Author, o.NewAuthor, o.Audience}, o.To...) {
		if u != "" && !slices.Contains(accounts, u) {
			accounts = append(accounts, u)
		}
	}
	return accounts
}

// subject is what the operation is about: all on the same subject are applied
// in their order. A block, a request and a follow are three documents and one subject:
// rules refuse the follow while the block is there.
func (o Op) subject() string {
	switch o.Kind {
	case Block, Unblock, Request, Withdraw, Decline, Accept:
		return followOf(o.User, o.Author)
	default:
		return o.document()
	}
}

func settingsOf(reader string) string { return "users/" + reader + "/settings/feed" }

func followOf(follower, author string) string {
	return Op{Kind: Follow, User: follower, Author: author}.document()
}

// predecessors are, for each operation, those that have to be acknowledged
// before it is applied: the last one on its subject, for a comment and a like the last one on its post, and for the deletion of
// an account the last one on each subject whose operations named the account. What
// names an account that came back comes after its return.
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
