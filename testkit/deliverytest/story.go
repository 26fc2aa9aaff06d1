package deliverytest

import (
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/stories"
)

// story has the operations of clients. The feeds must be the same in whatever order and number its
// events come.
type story struct {
	name   string
	before []op // already handled
	do     []op // their events are under test
	long   bool // jobs do most of it
}

// tales run in every way of ways.
var tales = []story{
	{"a follow", some, ops(doFollow(1, 1)), false},
	{"a follow of an author with an archive", archive, ops(doFollow(1, 1)), true},
	{"one more follow", slices.Concat(some, few), ops(doFollow(9, 1)), false},
	{"an unfollow", slices.Concat(some, few), ops(doUnfollow(1, 1)), false},
	{"an unfollow of an author with an archive", slices.Concat(archive, few), ops(doUnfollow(1, 1)), true},
	{"an unfollow with a new follow", slices.Concat(some, few), ops(doUnfollow(1, 1), doFollow(1, 1)), false},
	{"a follow with its unfollow", some, ops(doFollow(1, 1), doUnfollow(1, 1)), false},
	{"a follow with a post", few, ops(doFollow(9, 1), doPost(1, 1, 1)), false},
	{"a post", few, ops(doPost(1, 1, 1)), false},
	{"a post to a crowd", crowd, ops(doPost(1, 1, 1)), true},
	{"a post with its deletion", few, ops(doPost(1, 1, 1), doDelete(1)), false},
	{"a new date", slices.Concat(few, some), ops(doPost(1, 1, 9)), false},
	{"a new author", slices.Concat(crowd, some, ops(doFollow(1, 2), doFollow(9, 2))), ops(doPost(1, 2, 1)), true},
	{"a deleted post", slices.Concat(few, some), ops(doDelete(1)), false},
	{"a post that a crowd loses", slices.Concat(crowd, some), ops(doDelete(1)), true},
	{"a deleted post with its return", slices.Concat(few, some), ops(doDelete(1), doPost(1, 1, 1)), false},
	{"a reader's deleted account", slices.Concat(few, ops(doPost(1, 1, 1), doFollow(1, 2), doPost(9, 2, 9))), ops(doLeave(reader(1))), true},
	{"an author's deleted account", slices.Concat(few, some), ops(doLeave(author(1))), true},

	{"a post to a group", slices.Concat(few, members), ops(doPostTo(group(1), 1, 1, 1)), false},
	{"another group", slices.Concat(members, ours, ops(doJoin(9, 2))), ops(doPostTo(group(2), 1, 1, 1)), false},
	{"another group of a crowd", slices.Concat(joined, ours, ops(doJoin(1, 2), doJoin(9, 2))), ops(doPostTo(group(2), 1, 1, 1)), true},
	{"a hidden post", slices.Concat(members, ours, ops(doPostTo(group(1), 9, 1, 9, 1, 8))), ops(hidden(doPostTo(group(1), 9, 1, 9, 1, 8))), false},
	{"a post to some", few, ops(doPostTo(author(1), 1, 1, 1, 1, 9)), false},
	{"a deleted group", slices.Concat(members, ours, few, some), ops(doLeave(group(1))), true},

	{"a block of a follower", slices.Concat(few, some), ops(doBlock(author(1), reader(1))), false},
	{"a block of who names the reader", slices.Concat(few, ops(letter)), ops(doBlock(reader(1), author(1))), false},
	{"the end of a block", slices.Concat(letters, ops(doBlock(reader(1), author(1)))), ops(doUnblock(reader(1), author(1))), true},
}

// variants are tales that run in the ways of a single try.
var variants = []story{
	{"a follow of a group", ours, ops(doJoin(9, 1)), false},
	{"a follow of a group with an archive", numbered(many, func(n int) op { return doPostTo(group(1), n, n, n) }), ops(doJoin(1, 1)), true},
	{"an unfollow of a group", slices.Concat(members, ours), ops(doQuit(1, 1)), false},
	{"an audience of nobody that comes back", slices.Concat(few, members, ours), ops(doPostTo(nobody, 1, 1, 1), doPostTo(group(1), 1, 1, 1)), false},
	{"a hidden post that is shown", slices.Concat(few, some), ops(hidden(doPost(1, 1, 1)), doPost(1, 1, 1)), false},
	{"a post to others", slices.Concat(few, ops(doPostTo(author(1), 1, 1, 1, 1, 9))), ops(doPostTo(author(1), 1, 1, 1, 8)), false},
	{"a name without a follow", nil, ops(doPostTo(nobody, 1, 1, 1, 9)), false},
	{"an unfollow after a message", slices.Concat(few, ops(doPostTo(nobody, 1, 1, 1, 1))), ops(doUnfollow(1, 1)), false},
	{"a follow after a message", ops(doPostTo(author(1), 1, 1, 1, 9)), ops(doFollow(9, 1)), false},
	{"a block of who often names the reader", slices.Concat(few, letters), ops(doBlock(reader(1), author(1))), true},
	{"a block of who followed before", slices.Concat(few, some, ops(doUnfollow(1, 1))), ops(doBlock(author(1), reader(1))), false},
	{"a block with its end", slices.Concat(few, letters), ops(doBlock(reader(1), author(1)), doUnblock(reader(1), author(1))), true},
	{"a block with its end and a new follow", slices.Concat(few, letters), ops(doBlock(author(1), reader(1)), doUnblock(author(1), reader(1)), doFollow(1, 1)), true},
	{"a block of an author with an archive", slices.Concat(archive, few), ops(doBlock(reader(1), author(1))), true},
	{"a block of a member by the group", slices.Concat(members, ours), ops(doBlock(group(1), reader(1))), false},
	{"a block by a member whom a post names", slices.Concat(members, ops(doPostTo(group(1), 1, 1, 1, 1, 9))), ops(doBlock(reader(1), author(1))), false},
	{"a post that names who blocks", slices.Concat(few, ops(doBlock(reader(1), author(1)))), ops(doPostTo(author(1), 1, 1, 1, 1, 9)), false},
	{"the deleted account of who blocks", slices.Concat(few, some, ops(doBlock(reader(1), author(1)))), ops(doLeave(reader(1))), true},
	{"the deleted account of who is blocked", slices.Concat(letters, ops(doBlock(reader(1), author(1)))), ops(doLeave(author(1))), true},
	{"the deleted account of who posts to a group", slices.Concat(members, ours, few), ops(doLeave(author(1))), true},
	{"many posts", few, later, false},
	{"a block of who was followed before", slices.Concat(few, some, ops(doUnfollow(1, 1))), ops(doBlock(reader(1), author(1))), false},
}

// many is more than a delivery does without a job, and more than two pages of a job.
const many = 2*pageSize + 1

// nobody is the audience of posts that only the readers in `to` get.
const nobody = ""

// Many stories begin with one of these: author 1 has written, or is followed by readers 1 to n.
var (
	some    = numbered(Inline, func(n int) op { return doPost(n, 1, n) })
	archive = numbered(many, func(n int) op { return doOldPost(n, 1, n) })
	few     = numbered(Inline, func(n int) op { return doFollow(n, 1) })
	crowd   = numbered(many, func(n int) op { return doFollow(n, 1) })
	letters = numbered(many, func(n int) op { return doPostTo(author(1), n, 1, n, 1, 9) })
	later   = numbered(many, func(n int) op { return doPost(1+n, 1, 1+n) }) // than a post with the date 1
)

// letter is a post of author 1 to followers, and to readers 1 and 9 by name.
var letter = doPostTo(author(1), 9, 1, 9, 1, 9)

// These are the same for group 1, to which several authors write.
var (
	ours    = numbered(Inline, func(n int) op { return doPostTo(group(1), n, n, n) })
	members = numbered(Inline, func(n int) op { return doJoin(n, 1) })
	joined  = numbered(many, func(n int) op { return doJoin(n, 1) })
)

// numbered returns the operations for the numbers 1 to n.
func numbered(n int, do func(int) op) (all []op) {
	for i := range n {
		all = append(all, do(i+1))
	}
	return all
}

func ops(o ...op) []op { return o }

// author and the functions below return the ids of the stories. No id is part of another, or of a
// hash.
func author(n int) string { return fmt.Sprintf("author-%02d", n) }
func group(n int) string  { return fmt.Sprintf("g_group-%02d", n) }
func reader(n int) string { return fmt.Sprintf("reader-%02d", n) }
func post(n int) string   { return fmt.Sprintf("post-%03d", n) }

func doFollow(r, a int) op       { return op{Kind: clients.Follow, User: reader(r), Author: author(a)} }
func doUnfollow(r, a int) op     { return op{Kind: clients.Unfollow, User: reader(r), Author: author(a)} } //nolint:unparam // as the others say who
func doJoin(r, g int) op         { return op{Kind: clients.Follow, User: reader(r), Author: group(g)} }
func doQuit(r, g int) op         { return op{Kind: clients.Unfollow, User: reader(r), Author: group(g)} }
func doDelete(p int) op          { return op{Kind: clients.DeletePost, Post: post(p)} } //nolint:unparam // as the others say who
func doLeave(account string) op  { return op{Kind: clients.DeleteAccount, User: account} }
func doBlock(by, of string) op   { return op{Kind: clients.Block, Author: by, User: of} }
func doUnblock(by, of string) op { return op{Kind: clients.Unblock, Author: by, User: of} }

// doPost writes a post to the author's followers. at is its createdAt, in steps of apart; no two posts have the same.
func doPost(p, a, at int) op {
	return op{Kind: clients.CreatePost, Post: post(p), Author: author(a), Audience: author(a), At: stories.Day.Add(time.Duration(at) * apart)}
}

// doOldPost is like doPost, without the fields that old posts lack.
func doOldPost(p, a, at int) op {
	o := doPost(p, a, at)
	o.Old = true
	return o
}

// doPostTo is like doPost, to the followers of an audience and to readers.
func doPostTo(audience string, p, a, at int, readers ...int) op {
	o := doPost(p, a, at)
	o.Audience = audience
	for _, r := range readers {
		o.To = append(o.To, reader(r))
	}
	return o
}

// hidden returns o with its post hidden.
func hidden(o op) op {
	o.Hidden = true
	return o
}
