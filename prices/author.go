package prices

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// Author describes one author: the followers, and the posts and pages of a day. With Users, it
// describes an app of that many such authors. Numbers a day may be fractions. Errors name a number by
// its flag of `relationindex cost`.
type Author struct {
	Users     int     `json:"users,omitempty"` // of the app, each an author like this one; 0: a single author
	Followers int     `json:"followers"`
	Posts     float64 `json:"posts"`     // new posts a day
	Edits     float64 `json:"edits"`     // edits of posts a day, in fields that feeds show
	Deletes   float64 `json:"deletes"`   // deletions of posts a day
	Follows   float64 `json:"follows"`   // new followers a day
	Unfollows float64 `json:"unfollows"` // followers lost a day
	Pages     float64 `json:"pages"`     // pages of feeds that all followers of the author load a day, together
	Kept      int     `json:"kept"`      // the author's posts that exist
	Following int     `json:"following"` // authors that each reader follows, all like this one

	Capacity int           `json:"capacity"`           // of an index document, in ids
	Horizon  time.Duration `json:"horizonNanoseconds"` // the age up to which posts have relations; 0: any age
	Bucket   int           `json:"bucket"`             // entries of a bucket
	Cap      int           `json:"cap"`                // the most entries in a ring, and in a timeline of capped items
	Backfill int           `json:"backfill"`           // timelines: posts that a new follower gets
}

// AuthorOf returns the assumptions about an author with this number of followers. Each day has one post,
// one new follower for every thousand, and one page for every tenth follower.
func AuthorOf(followers int) Author {
	each := max(0, float64(followers)) // Validate reports a negative number once, as followers
	return Author{
		Followers: followers, Posts: 1, Follows: each / 1000, Pages: each / 10, Kept: 100, Following: 100,
		Capacity: schema.DefaultCapacity, Bucket: schema.DefaultBucket, Cap: 500, Backfill: 100,
	}
}

// Assumptions about every author.
const (
	pageSize    = 20  // posts in a page of a feed
	pagesInARow = 3   // pages that a reader loads within a minute
	postIDBytes = 20  // of the id of a post
	idBytes     = 28  // of the id of a user
	copiedBytes = 200 // of a post's fields that feeds show
)

// The largest inputs. The product of any two is far from what a float64 holds.
const (
	maxPeople    = 1_000_000_000
	maxDaily     = 1e12
	maxPosts     = 10_000_000
	maxFollowing = 100_000
	maxBucket    = 1000
	maxCap       = 1_000_000
	maxBackfill  = 1000
	maxIndexes   = 99_999 // index documents of an author: their ids sort up to here
)

// Validate joins an error for each number that is out of its range. The error has the flag, the value
// and the rule.
func (a Author) Validate() error {
	var errs []error
	whole := func(flag string, value, least, most int) {
		if value < least || value > most {
			errs = append(errs, fmt.Errorf("--%s %d: must be %d to %d", flag, value, least, most))
		}
	}
	daily := func(flag string, value float64) {
		if math.IsNaN(value) || value < 0 || value > maxDaily {
			errs = append(errs, fmt.Errorf("--%s %v: must be a number of 0 to %.0e a day", flag, value, float64(maxDaily)))
		}
	}
	whole("users", a.Users, 0, maxPeople)
	whole("followers", a.Followers, 0, maxPeople)
	daily("posts", a.Posts)
	daily("edits", a.Edits)
	daily("deletes", a.Deletes)
	daily("follows", a.Follows)
	daily("unfollows", a.Unfollows)
	daily(pagesFlag[a.Users > 0], a.Pages)
	whole("kept-posts", a.Kept, 0, maxPosts)
	whole("following", a.Following, 0, maxFollowing)
	whole("capacity", a.Capacity, 1, schema.DefaultCapacity)
	if err := schema.CheckHorizon(a.Horizon); err != nil {
		errs = append(errs, fmt.Errorf("--horizon: %w", err))
	}
	whole("bucket", a.Bucket, 1, maxBucket)
	whole("cap", a.Cap, 1, maxCap)
	whole("backfill", a.Backfill, 0, maxBackfill)
	if len(errs) == 0 && a.IndexDocuments() > maxIndexes {
		errs = append(errs, fmt.Errorf("--capacity %d: %d followers would need %d index documents, an author can have %d",
			a.Capacity, a.Followers, a.IndexDocuments(), maxIndexes))
	}
	return errors.Join(errs...)
}

// pagesFlag has the flag for Pages, by whether the Author is an app.
var pagesFlag = map[bool]string{false: "feed-reads", true: "opens"}

// idsPerDocument returns the number of ids in a full index document. A document is full at its capacity
// or at its budget of bytes.
func (a Author) idsPerDocument() int {
	return min(a.Capacity, schema.DefaultFollowersBytes/(idBytes+1))
}

// IndexDocuments returns the number of the author's index documents.
func (a Author) IndexDocuments() int { return Parts(a.Followers, a.idsPerDocument()) }

// meanIDs returns the mean number of ids in one of the author's index documents.
func (a Author) meanIDs() float64 { return float64(a.Followers) / float64(max(1, a.IndexDocuments())) }

// index returns the costs of relations with the author's capacity.
func (a Author) index() Index {
	o := schema.Config{Capacity: a.Capacity}
	copied := map[string]any{"createdAt": time.Time{}, "text": strings.Repeat("x", copiedBytes)}
	size := int(a.meanIDs() * (idBytes + 1))
	return IndexOf(o, 0, plan.PlannedFor(o, strings.Repeat("p", postIDBytes), copied, size))
}

// expiresWithin is the time in which Firestore deletes an expired document ("Data retention
// with TTL policies": typically within 24 hours; read November 2026).
const expiresWithin = 24 * time.Hour

// related returns the mean number of the author's posts with relations.
func (a Author) related() int {
	if a.Horizon == 0 {
		return a.Kept
	}
	return min(a.Kept, a.postsIn(a.Horizon+schema.HorizonMargin+expiresWithin/2))
}

// postsIn returns the number of posts that the author creates in d.
func (a Author) postsIn(d time.Duration) int {
	return int(math.Ceil(min(maxPosts, a.Posts*d.Hours()/24)))
}
