package chaos

import (
	"fmt"
	"strings"
)

// String tells the operation on one line.
func (o Op) String() string {
	words := []string{string(o.Kind)}
	for _, w := range []string{o.User, o.Author, o.NewAuthor, o.Post, o.Text} {
		if w != "" {
			words = append(words, w)
		}
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
	case CreatePost, Redate, Reword, Reassign, DeletePost:
		return "posts/" + o.Post
	case DeleteAccount:
		return "users/" + o.User
	}
	panic(fmt.Sprintf("chaos: operation of kind %q", o.Kind))
}

// accounts are the accounts that the operation names.
func (o Op) accounts() []string {
	var accounts []string
	for _, u := range []string{o.User, o.Author, o.NewAuthor} {
		if u != "" {
			accounts = append(accounts, u)
		}
	}
	return accounts
}

// predecessors are, for each operation, those that have to be acknowledged
// before it is applied: the last one on its document, and for the deletion of
// an account the last one on each document whose operations named the account.
func predecessors(ops []Op) [][]int {
	last := map[string]int{}              // document → operation
	naming := map[string]map[string]int{} // account → document → operation
	before := make([][]int, len(ops))
	for n, op := range ops {
		document := op.document()
		if p, ok := last[document]; ok {
			before[n] = append(before[n], p)
		}
		last[document] = n
		if op.Kind == DeleteAccount {
			for _, p := range naming[op.User] {
				before[n] = append(before[n], p)
			}
		}
		for _, u := range op.accounts() {
			if naming[u] == nil {
				naming[u] = map[string]int{}
			}
			naming[u][document] = n
		}
	}
	return before
}
