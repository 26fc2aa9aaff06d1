package chaos

import (
	"fmt"
	"slices"
	"strings"
)

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
