package estimate

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/prices"
	"example.com/relationindex/relations/plan"
	"example.com/relationindex/schema"
)

// Inputs are an author, what happens to them in a day, and who reads. Numbers a
// day may be fractions. Errors call them by the flags of `relationindex cost`.
type Inputs struct {
	Followers int64   // of the author
	Posts     float64 // new posts a day
	Edits     float64 // edits of posts a day, of fields that feeds show
	Deletes   float64 // deletions of posts a day
	Follows   float64 // new followers a day
	Unfollows float64 // of followers, a day
	FeedReads float64 // pages of feeds that the author's followers load in a day, all together

	KeptPosts   int // the author's posts that are there: what a new follower, and storage, is about
	PageSize    int // posts in a page of a feed, all of them by authors like this one
	PageIDs     int // follower ids in each relation of a page; 0: as in this author's. Most feeds also show smaller authors
	IDBytes     int // of the id of a user
	CopiedBytes int // of a post, in what feeds show: text, a link to a picture

	Recipients int  // of each post, in its field to
	OwnPosts   bool // authors have their own posts in their feeds
	Closed     bool // the author accepts followers, who ask

	Capacity    int           // of an index document, in ids
	Horizon     time.Duration // how old posts may be that have relations; 0: of any age
	Depth       int           // pages that a reader loads one after the other
	PostsFilled bool          // every post has its fields audience and hidden: pull makes half the queries

	Layout       string // of timelines: items, buckets or days
	Bucket       int    // entries of a bucket, at most
	Cap          int    // entries of a timeline of items or buckets, at least; 0: all
	RelationsOff bool   // timelines are alone; false: relations are kept beside them
	Settings     bool   // timelines follow what readers have decided
	Ranked       bool   // comments lift items

	Backfill        int  // fan-out on write and timelines: posts that a new follower gets
	Following       int  // fan-out on read and timelines: authors that a reader follows
	CachedFollowing bool // fan-out on read: the device remembers whom the reader follows
}

// Defaults are what is assumed of an author with so many followers: each day one
// post, one new follower for every thousand, and a page for every tenth follower.
func Defaults(followers int64) Inputs {
	each := max(0, float64(followers)) // what is not valid is said once
	return Inputs{
		Followers: followers, Posts: 1, Follows: each / 1000, FeedReads: each / 10,
		KeptPosts: 100, PageSize: 20, IDBytes: 28, CopiedBytes: 200, Capacity: schema.DefaultCapacity,
		Backfill: 100, Following: 100, Depth: 3,
		Layout: schema.LayoutBuckets, Bucket: schema.DefaultBucket, RelationsOff: true,
	}
}

// The largest inputs. The product of any two is far from what a float64 holds.
const (
	maxFollowers = 1_000_000_000
	maxDaily     = 1e12
	maxPosts     = 10_000_000
	maxFollowing = 100_000
	maxDepth     = 1000
	maxBucket    = 1000
	maxCap       = 1_000_000
	maxCopied    = 128 << 10 // relations leaves out what is more
	maxID        = 1500
	maxPage      = 50     // firestore.rules refuses more
	maxIndexes   = 99_999 // index documents of an author: their ids sort up to here
)

// Validate reports every input that is out of its range, with its flag, its
// value and the rule.
func (in Inputs) Validate() error {
	var errs []error
	whole := func(flag string, value, least, most int64) {
		if value < least || value > most {
			errs = append(errs, fmt.Errorf("--%s %d: must be %d to %d", flag, value, least, most))
		}
	}
	daily := func(flag string, value float64) {
		if math.IsNaN(value) || value < 0 || value > maxDaily {
			errs = append(errs, fmt.Errorf("--%s %v: must be a number of 0 to %.0e a day", flag, value, float64(maxDaily)))
		}
	}
	whole("followers", in.Followers, 0, maxFollowers)
	daily("posts", in.Posts)
	daily("edits", in.Edits)
	daily("deletes", in.Deletes)
	daily("follows", in.Follows)
	daily("unfollows", in.Unfollows)
	daily("feed-reads", in.FeedReads)
	whole("kept-posts", int64(in.KeptPosts), 0, maxPosts)
	if in.PageSize < 1 || in.PageSize > maxPage {
		errs = append(errs, fmt.Errorf("--page-size %d: must be 1 to %d, the most that firestore.rules allow", in.PageSize, maxPage))
	}
	whole("page-ids", int64(in.PageIDs), 0, schema.DefaultCapacity)
	whole("id-bytes", int64(in.IDBytes), 1, maxID)
	whole("copied-bytes", int64(in.CopiedBytes), 0, maxCopied)
	whole("to", int64(in.Recipients), 0, schema.MaxRecipients)
	whole("capacity", int64(in.Capacity), 1, schema.DefaultCapacity)
	if err := schema.CheckHorizon(in.Horizon); err != nil {
		errs = append(errs, fmt.Errorf("--horizon: %w", err))
	}
	whole("depth", int64(in.Depth), 1, maxDepth)
	if !slices.Contains(Layouts, in.Layout) {
		errs = append(errs, fmt.Errorf("--timeline %q: must be %s", in.Layout, strings.Join(Layouts, ", ")))
	}
	whole("bucket", int64(in.Bucket), 1, maxBucket)
	whole("cap", int64(in.Cap), 0, maxCap)
	if in.Layout == schema.LayoutBuckets && in.Bucket > 0 && in.Cap%in.Bucket != 0 {
		errs = append(errs, fmt.Errorf("--cap %d: must be a multiple of --bucket, which is %d", in.Cap, in.Bucket))
	}
	whole("backfill", int64(in.Backfill), 0, maxPosts)
	whole("following", int64(in.Following), 0, maxFollowing)
	if len(errs) == 0 && in.IndexDocuments() > maxIndexes {
		errs = append(errs, fmt.Errorf("--capacity %d: %d followers would need %d index documents, an author can have %d",
			in.Capacity, in.Followers, in.IndexDocuments(), maxIndexes))
	}
	return errors.Join(errs...)
}

// idsPerDocument is when an index document is full: at its capacity, or at its
// budget of bytes.
func (in Inputs) idsPerDocument() int {
	return min(in.Capacity, schema.DefaultFollowersBytes/(in.IDBytes+1))
}

// IndexDocuments is how many the author has.
func (in Inputs) IndexDocuments() int { return prices.Parts(int(in.Followers), in.idsPerDocument()) }

// meanIDs is how many ids the author's index documents hold, on average.
func (in Inputs) meanIDs() float64 {
	if in.Followers == 0 {
		return 0
	}
	return float64(in.Followers) / float64(in.IndexDocuments())
}

// pageIDs is how many ids each relation of a page holds.
func (in Inputs) pageIDs() float64 {
	if in.PageIDs > 0 {
		return float64(in.PageIDs)
	}
	return in.meanIDs()
}

// index is what operations cost with the inputs' capacity.
func (in Inputs) index() prices.Index {
	o := schema.Options{Capacity: in.Capacity}
	copied := map[string]any{"createdAt": time.Time{}, "text": strings.Repeat("x", in.CopiedBytes)}
	size := int(in.meanIDs() * float64(in.IDBytes+1))
	x := prices.IndexOf(o, 0, plan.PlannedFor(o, strings.Repeat("p", postIDBytes), copied, size))
	x.Recipients, x.OwnPosts, x.Closed = in.Recipients, in.OwnPosts, in.Closed
	return x
}

// directReaders is how many readers a post has who need not follow its author.
func (in Inputs) directReaders() int {
	if in.OwnPosts {
		return in.Recipients + 1
	}
	return in.Recipients
}

// directQueries is how many queries of a page fan-out on read makes for such posts.
func (in Inputs) directQueries() (queries int) {
	if in.Recipients > 0 {
		queries++
	}
	if in.OwnPosts {
		queries++
	}
	return queries
}
