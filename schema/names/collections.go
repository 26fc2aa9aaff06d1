// Package names holds the names in the database that its clients, its rules and the functions share:
// collections, and reserved fields. It links no Firestore.
//
// It builds no paths, and has no limits.
package names

import "cmp"

// Collections names the collections that an app may already have under other names. An
// empty name means the default.
type Collections struct {
	Users     string // "users"
	Followers string // "followers", below a user
	Posts     string // "posts"
}

// The collections with fixed names. Only functions write some of them; clients write documents of the others
// by rules.
const (
	FollowersIndex = "followers_index" // below a user
	Following      = "following"       // below a user
	Relations      = "_relations"
	Tombstones     = "_tombstones"
	Purging        = "_purging"   // accounts that nobody may create again yet
	Blocked        = "blocked"    // below a user
	Requests       = "requests"   // below a user
	Jobs           = "_functions" // the default of package chunker
	SystemSettings = "_settings"
	Hides          = "_hides"
	Timeline       = "timeline"      // below a user
	ReaderSettings = "settings"      // below a user: a reader's decisions, in ReaderSettingsFeed, and the reader's read position
	HiddenPosts    = "hidden"        // below a user: posts that the reader hides
	Rates          = "rates"         // below a user: how many acts of each kind the user has counted, where rules have a pace
	Comments       = "comments"      // below a post
	Likes          = "likes"         // below a post, by the id of the account that likes it
	Notifications  = "notifications" // below a user: see package tallies
)

// ReaderSettingsFeed is the document of [ReaderSettings] that functions act on.
const ReaderSettingsFeed = "feed"

// WithDefaults returns c with each empty name replaced by its default.
func (c Collections) WithDefaults() Collections {
	return Collections{
		Users:     cmp.Or(c.Users, "users"),
		Followers: cmp.Or(c.Followers, "followers"),
		Posts:     cmp.Or(c.Posts, "posts"),
	}
}
