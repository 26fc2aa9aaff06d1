package chaos

import (
	"slices"
	"time"

	"example.com/relationindex/schema"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/oracle"
)

// atRest returns what readers do when nothing is in flight. In before, some readers go away and others
// hide a post; some of these then hide all of its author. Comments lift a post of each reader. Then
// edits changes hidden and lifted posts, which must stay hidden and lifted. Last, in after, half of
// the absent readers return, and half of those who hide an author show the author again.
func atRest(o *oracle.Oracle, h *oracle.History, w clients.Workload) (before, edits, after []clients.Op) {
	edited := map[string]bool{}
	edit := func(p oracle.Post) {
		if !edited[p.ID] {
			edited[p.ID] = true
			edits = append(edits, clients.Op{Kind: clients.Reword, Author: p.Author, Post: p.ID, Text: "edited at the end"})
		}
	}
	n, hiders := 0, 0
	for u := range w.Users {
		reader := clients.UserID(u)
		if h.Fields("users/"+reader) == nil {
			continue
		}
		has := o.Reader(reader)
		posts := has.Sorted()
		if last := len(posts) - 1; last >= 0 && w.Comments {
			for _, author := range o.Follows(reader) {
				if !schema.IsGroup(author) && h.Fields("users/"+author) != nil {
					before = append(before, clients.Op{Kind: clients.Comment, User: author, Post: posts[last].ID, Text: "comment-for-" + reader})
					edit(posts[last])
					break
				}
			}
		}
		if !clients.MayDecide(reader) {
			continue
		}
		goes := clients.Op{Kind: clients.See, User: reader, Text: clients.SeenLongAgo}
		returns := clients.Op{Kind: clients.See, User: reader, Text: clients.SeenNow}
		n++
		switch {
		case has.Idle:
			if n%2 == 0 {
				after = append(after, returns)
			}
		case n%4 < 2:
			before = append(before, goes)
			if n%4 == 0 {
				after = append(after, returns)
			}
		case len(posts) > 0:
			before = append(before, clients.Op{Kind: clients.HidePost, User: reader, Post: posts[0].ID})
			if hiders++; hiders%3 > 0 {
				before = append(before, clients.Op{Kind: clients.Decide, User: reader, Hide: []string{posts[0].Author + "/*"}})
				if hiders%3 == 1 {
					after = append(after, clients.Op{Kind: clients.Decide, User: reader})
				}
			} else {
				edit(posts[0])
			}
		}
	}
	return before, edits, after
}

// ofOverwritten returns a post for each existing account that came back or whose user document a
// server overwrote. Such a write has no event of its own. The next function that needs the two missing
// fields restores them, and these posts make sure that one does. Before, again overwrites the accounts with an older
// list, if operations did: only these posts make the functions find out that the list is older.
func ofOverwritten(ops []clients.Op, at time.Time) (again, posts []clients.Op) {
	var users []string
	gone, back, overwritten := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, op := range ops {
		switch op.Kind {
		case clients.Overwrite, clients.Return, clients.DeleteAccount:
			if !slices.Contains(users, op.User) {
				users = append(users, op.User)
			}
			gone[op.User] = op.Kind == clients.DeleteAccount || gone[op.User] && op.Kind == clients.Overwrite
			back[op.User] = back[op.User] || op.Kind == clients.Return
			overwritten[op.User] = overwritten[op.User] || op.Kind == clients.Overwrite
		default:
		}
	}
	for n, u := range users {
		if gone[u] {
			continue
		}
		if overwritten[u] {
			again = append(again, clients.Op{Kind: clients.Overwrite, User: u, Text: clients.WithOlderList})
		}
		posts = append(posts, clients.Op{
			Kind: clients.CreatePost, Author: u, Audience: u, Post: "last-of-" + u, At: at.Add(time.Duration(n) * time.Microsecond), Text: "the last", Spared: back[u],
		})
	}
	return again, posts
}

// witnessed returns follows to and from accounts whose user document was overwritten. That write has
// no event of its own, and deletes the account's numbers. The next event of each number restores that
// number. These follows make sure that each number has an event. An account that came back has an
// event: its deletion.
func witnessed(overwritten []clients.Op) (all []clients.Op) {
	for _, op := range overwritten {
		all = append(all, clients.Op{Kind: clients.Follow, User: clients.Witness, Author: op.User}, clients.Op{Kind: clients.Follow, User: op.User, Author: clients.Witness})
	}
	return all
}
