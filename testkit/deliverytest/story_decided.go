package deliverytest

import (
	"slices"
	"time"

	"example.com/relationindex/testkit/clients"
)

// Stories of decisions begin with one of these. Readers 1 and 2 follow author 1, who has written
// photos and other posts. Reader 2 decides nothing.
var (
	photos = numbered(Inline, func(n int) op { return photo(doPost(n, 1, n)) })
	album  = numbered(many, func(n int) op { return photo(doPost(n, 1, n)) })
	mixed  = slices.Concat(few, photos, ops(doPost(8, 1, 8)))
	left   = slices.Concat(few, ops(doAway(1)), photos, ops(doPost(8, 1, 8))) // reader 1 was away when all of it came
)

// decidedTales run in every way of ways, if readers decide.
var decidedTales = []story{
	{"a kind that is hidden", mixed, ops(doDecide(1, "*/photo")), false},
	{"a kind that is hidden of a long feed", slices.Concat(few, album), ops(doDecide(1, "*/photo")), true},
	{"a kind that is shown again", slices.Concat(mixed, ops(doDecide(1, "*/photo"), photo(doPost(9, 1, 9)))), ops(doDecide(1)), true},
	{"a post of a hidden kind", slices.Concat(few, ops(doDecide(1, "*/photo"))), ops(photo(doPost(1, 1, 1))), false},
	{"a post that a reader hides", mixed, ops(doHide(1, 1)), false},
	{"a post that was hidden before", slices.Concat(few, ops(doHide(1, 1))), ops(doPost(1, 1, 1)), false},
	{"an idle reader's return", left, ops(doDecide(1)), true},
}

// decidedVariants run in the ways of a single try.
var decidedVariants = []story{
	{"an author who is hidden", mixed, ops(doDecide(1, author(1)+"/*")), false},
	{"a kind that is hidden and taken back", mixed, ops(doDecide(1, "*/photo"), doDecide(1)), true},
	{"a kind that is shown and hidden again", slices.Concat(mixed, ops(doDecide(1, "*/photo"))), ops(doDecide(1), doDecide(1, "*/photo")), true},
	{"a post that becomes of a hidden kind", slices.Concat(few, some, ops(doDecide(1, "*/photo"))), ops(photo(doPost(1, 1, 1))), false},
	{"a post that is no longer of a hidden kind", slices.Concat(mixed, ops(doDecide(1, "*/photo"))), ops(doPost(1, 1, 1)), false},
	{"a post that a reader shows again", slices.Concat(mixed, ops(doHide(1, 1))), ops(doShow(1, 1)), false},
	{"a post that is hidden and shown", mixed, ops(doHide(1, 1), doShow(1, 1)), false},
	{"a post to an idle reader", slices.Concat(few, ops(doPost(8, 1, 8), doAway(1))), ops(doPost(1, 1, 1)), false},
	{"a follow by who hides a kind", slices.Concat(photos, ops(doPost(8, 1, 8), doDecide(1, "*/photo"), doHide(1, 8))), ops(doFollow(1, 1)), false},
	{"an edit of a post that a reader hides", slices.Concat(mixed, ops(doHide(1, 1))), ops(photo(doPost(1, 1, 9))), false},
	{"the deleted account of who decides", slices.Concat(mixed, ops(doDecide(1, "*/photo"), doHide(1, 8))), ops(doLeave(reader(1))), true},
}

// decidedRaces are events that are handled late, if readers decide.
var decidedRaces = []race{
	{"a post", "a reader who hides its kind", few, ops(photo(doPost(1, 1, 1))), ops(doDecide(1, "*/photo")), 0},
	{"a post", "a reader who hides it", few, ops(doPost(1, 1, 1)), ops(doHide(1, 1)), 0},
	{"a post", "a reader who is back", slices.Concat(few, ops(doAway(1))), ops(doPost(1, 1, 1)), ops(doDecide(1)), 0},
	{"a new kind", "a reader who hides it", slices.Concat(few, some), ops(photo(doPost(1, 1, 1))), ops(doDecide(1, "*/photo")), 0},
	{"a follow", "a reader who hides a kind", photos, ops(doFollow(1, 1)), ops(doDecide(1, "*/photo")), 2},
	{"a reader who hides a kind", "a post", mixed, ops(doDecide(1, "*/photo")), ops(photo(doPost(9, 1, 9))), 0},
	{"a reader who hides a kind", "a post that loses it", mixed, ops(doDecide(1, "*/photo")), ops(doPost(1, 1, 1)), 0},
	{"a reader who hides a kind", "taking it back", mixed, ops(doDecide(1, "*/photo")), ops(doDecide(1)), 0},
	{"a reader who shows a kind", "an unfollow", slices.Concat(mixed, ops(doDecide(1, "*/photo"))), ops(doDecide(1)), ops(doUnfollow(1, 1)), 3},
	{"a reader who shows a kind", "hiding it again", slices.Concat(mixed, ops(doDecide(1, "*/photo"))), ops(doDecide(1)), ops(doDecide(1, "*/photo")), 3},
	{"a reader who is back", "the deletion of a post", left, ops(doDecide(1)), ops(doDelete(1)), 3},
	{"a reader who is back", "a post", left, ops(doDecide(1)), ops(doPost(9, 1, 9)), 3},
	{"a reader who hides a post", "showing it", mixed, ops(doHide(1, 1)), ops(doShow(1, 1)), 0},
	{"a reader who shows a post", "hiding it", slices.Concat(mixed, ops(doHide(1, 1))), ops(doShow(1, 1)), ops(doHide(1, 1)), 0},
	{"a reader who hides a post", "its edit", mixed, ops(doHide(1, 1)), ops(photo(doPost(1, 1, 9))), 2},
	{"a post", "a reader who hides it again", slices.Concat(few, ops(doHide(1, 1), doShow(1, 1))), ops(doPost(1, 1, 1)), ops(doHide(1, 1)), 0},
	{"a post", "a reader who shows it", slices.Concat(few, ops(doHide(1, 1))), ops(doPost(1, 1, 1)), ops(doShow(1, 1)), 0},
}

// Stories of comments begin with one of these. Readers follow author 1, who has written, and author 2,
// who comments.
var (
	talk       = slices.Concat(few, some, ops(doFollow(1, 2)))
	talkOfMany = slices.Concat(crowd, some, numbered(many, func(n int) op { return doFollow(n, 2) }))
)

// rankedTales run in every way of ways, if comments lift.
var rankedTales = []story{
	{"a comment", talk, ops(doComment(2, 1)), false},
	{"a comment that a crowd sees", talkOfMany, ops(doComment(2, 1)), true},
	{"a comment after another", slices.Concat(talk, ops(doComment(2, 1))), ops(doComment(2, 2)), false},
}

// rankedVariants run in the ways of a single try.
var rankedVariants = []story{
	{"two comments", talk, ops(doComment(2, 1), doComment(2, 2)), false},
	{"two comments on one post", slices.Concat(talk, ops(doFollow(1, 3))), ops(doComment(2, 1), doComment(3, 1)), false},
	{"an edit of a post that was lifted", slices.Concat(talk, ops(doComment(2, 1))), ops(photo(doPost(1, 1, 9))), false},
	{"the deletion of a post that was lifted", slices.Concat(talk, ops(doComment(2, 1))), ops(doDelete(1)), false},
	{"a reader who hides a post that was lifted", slices.Concat(talk, ops(doComment(2, 1))), ops(doHide(1, 1)), false},
	{"the deleted account of who comments", slices.Concat(talk, ops(doComment(2, 1))), ops(doLeave(author(2))), true},
	{"a comment on a post that is shown again", slices.Concat(talk, ops(hidden(doPost(1, 1, 1)))), ops(doComment(2, 1), doPost(1, 1, 1)), false},
	{"a comment on a post that a new follow brings", slices.Concat(some, ops(doFollow(1, 2))), ops(doComment(2, 1), doFollow(1, 1)), false},
	{"a comment on a post of an author who is shown again", slices.Concat(talk, ops(doDecide(1, author(1)+"/*"))), ops(doComment(2, 1), doDecide(1)), true},
}

// rankedRaces are events that are handled late, if comments lift.
var rankedRaces = []race{
	{"a comment", "another", slices.Concat(talk, ops(doFollow(1, 3))), ops(doComment(2, 1)), ops(doComment(3, 1)), 0},
	{"a comment that a crowd sees", "another", talkOfMany, ops(doComment(2, 1)), ops(doComment(2, 2)), 5},
	{"a comment", "the deletion of the post", talk, ops(doComment(2, 1)), ops(doDelete(1)), 0},
	{"a comment", "an edit of the post", talk, ops(doComment(2, 1)), ops(photo(doPost(1, 1, 9))), 0},
	{"a comment", "an unfollow of the post's author", talk, ops(doComment(2, 1)), ops(doUnfollow(1, 1)), 0},
	{"a comment", "a reader who hides the post", talk, ops(doComment(2, 1)), ops(doHide(1, 1)), 0},
	{"an edit", "a comment", talk, ops(photo(doPost(1, 1, 9))), ops(doComment(2, 1)), 2},
	{"a reader who hides a post", "a comment", talk, ops(doHide(1, 1)), ops(doComment(2, 1)), 0},
}

// doDecide is the decision of a present reader to hide these patterns.
func doDecide(r int, hide ...string) op { //nolint:unparam // as the others say who
	return op{Kind: clients.Decide, User: reader(r), Hide: hide, Text: clients.SeenNow}
}

// doAway makes a reader idle.
func doAway(r int) op { return op{Kind: clients.Decide, User: reader(r), Text: clients.SeenLongAgo} }

func doHide(r, p int) op { return op{Kind: clients.HidePost, User: reader(r), Post: post(p)} }   //nolint:unparam // as the others say who
func doShow(r, p int) op { return op{Kind: clients.UnhidePost, User: reader(r), Post: post(p)} } //nolint:unparam // as the others say who
func doComment(a, p int) op {
	return op{Kind: clients.Comment, User: author(a), Post: post(p), Text: author(a) + "-comments"}
}

// photo returns o with a post of the kind photo.
func photo(o op) op {
	o.PostKind = "photo"
	return o
}

// Idle is the absence after which a delivery that decides leaves a reader out: see [Suite.Decides].
const Idle = 24 * time.Hour
