package prices

import (
	"slices"

	"example.com/relationindex/schema"
)

// Operation is the cost of one operation, with the client's own write, and the number of such operations a day.
type Operation struct {
	Name   string  `json:"operation"`
	PerDay float64 `json:"perDay"`
	Counts
}

// Names of operations.
const (
	Post       = "post"
	Follow     = "follow"
	ClientPage = "page by a client"
	FeedPage   = "page through Feed"
)

// Daily returns the operations of a form that have a number a day. Pages are read through Feed or by clients.
func (a Author) Daily(form string, feed bool) []Operation {
	byFeed, byClients := a.Pages, 0.0
	if !feed {
		byFeed, byClients = 0, a.Pages
	}
	switch form {
	case Relations:
		x := a.index()
		return append(a.ofRelations(x), Operation{ClientPage, byClients, x.Page(pageSize)}, Operation{FeedPage, byFeed, a.feedPage(x)})
	case Pull:
		a.Horizon = pullHorizon
		return append(a.ofRelations(a.index()), Operation{FeedPage, byFeed, a.pulledPage()})
	}
	x := a.Timelines(form)
	page := a.page(x)
	return append(a.ofTimelines(x), Operation{ClientPage, byClients, page}, Operation{FeedPage, byFeed, served(page, pageSize)})
}

// Operations returns all operations of a form.
func (a Author) Operations(form string) []Operation {
	all := append(a.Daily(form, true), tallied()...)
	if form == Relations || form == Pull {
		return all
	}
	x := a.Timelines(form)
	return append(append(all, a.rare(x)...), a.ofReaders(x)...)
}

func (a Author) ofRelations(x Index) []Operation {
	n, k := a.related(), a.IndexDocuments()
	expired := Counts{}
	if a.Horizon > 0 {
		expired = deletes(k)
	}
	return a.everyDay(x.Post(k).Plus(expired), x.Edit(k), x.Delete(k), x.Follow(n), x.FollowOpening(n, k), x.Unfollow(n))
}

// author is the additional reader of a post: the author, who has their own posts in their feed.
var author = Readers{All: 1}

func (a Author) ofTimelines(x Timelines) []Operation {
	n, each, t := a.related(), perDay(a.Posts), a.timeline(x, (x.Bucket+1)/2)
	return a.everyDay(
		x.Post(a.readers(x), author), x.Edit(Readers{All: a.Followers}, author), x.Delete(a.older(x, a.Followers), a.older(x, author.All)),
		x.Follow(n, a.Kept, t, each), x.FollowOpening(n, a.IndexDocuments(), a.Kept, t, each), x.Unfollow(n, a.documents(x)),
	)
}

// rare returns the operations that relations do not have, or do not count apart.
func (a Author) rare(x Timelines) []Operation {
	followers, older := a.readers(x), a.older(x, a.Followers)
	first := Readers{All: a.Followers, Due: followers.Due}
	if x.buckets() {
		first.New = float64(a.Followers)
	}
	without := x
	without.Backfill = 0
	return []Operation{
		{"post to readers without a timeline", 0, x.Post(first, author)},
		{"its event again", 0, x.Again(followers, author)},
		{"edit of what nothing copies", 0, x.EditOfNothing()},
		{"hide a post", 0, x.Hide(older, a.older(x, author.All))},
		{"another audience, as large", 0, x.Move(older, followers)},
		{"follow without a backfill", 0, without.Follow(a.related(), a.Kept, Timeline{}, 1)},
		{"deletion of the account", 0, x.Purge(a.account(x))},
	}
}

// everyDay returns the operations that have a number a day, with their names.
func (a Author) everyDay(post, edit, drop, follow, opening, unfollow Counts) []Operation {
	opened := a.Follows / float64(a.idsPerDocument())
	return []Operation{
		{Post, a.Posts, post}, {"edit", a.Edits, edit}, {"delete a post", a.Deletes, drop},
		{Follow, a.Follows - opened, follow}, {"follow that opens an index document", opened, opening}, {"unfollow", a.Unfollows, unfollow},
	}
}

// mostRebuilt is the most posts that a rebuild brings to a timeline without a cap.
const mostRebuilt = 10_000

// ofReaders returns the operations of readers' settings, and of comments that lift posts. The reader who
// hides, shows and returns follows this author alone.
func (a Author) ofReaders(x Timelines) (all []Operation) {
	followers := a.readers(x)
	n, each := min(a.keptIn(x), mostRebuilt), perDay(a.Posts)
	of := Reaching{Follows: 1, Found: []int{0, n}, Accounts: 1, Newer: true}
	have := a.documents(x)
	hidden, rest := have.Split(min(have.All, x.Beside.InlineLimit))
	ranked := x
	x.Settings, ranked.Ranked = true, true
	all = []Operation{
		{"post, with settings", 0, x.Post(followers, author)},
		{"edit of a post's kind", 0, x.EditKind(followers, author)},
		{"a reader hides the author", 0, x.Filter(have.All, hidden, rest)},
		{"an idle reader returns", 0, x.Rebuild(n, of, Timeline{PerDay: 1}, each)},
		{"a reader hides a post", 0, x.HidePost(true, true)},
		{"shows the post again", 0, x.ShowPost(true)},
		{"writes seenAt", 0, x.Seen()},
	}
	if x.Layout == schema.LayoutItems {
		n := a.Followers
		comment := ranked.Comment(Lifted{Followers: n, Audience: n, Both: n, Lower: n})
		all = append(all, Operation{"comment by who has as many followers", 0, comment})
	}
	return all
}

// Find returns the operation with a name; without one, the zero value.
func Find(all []Operation, name string) Operation {
	if n := slices.IndexFunc(all, func(o Operation) bool { return o.Name == name }); n >= 0 {
		return all[n]
	}
	return Operation{}
}
