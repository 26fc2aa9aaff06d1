package schema

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/schema/names"
)

// Options configures a [Database]. The zero value is the default.
type Options struct {
	Collections names.Collections

	// Capacity is the maximum number of ids in an index document; 0: DefaultCapacity. You
	// may change it at any time: existing documents stay as they are.
	Capacity int
	// FollowersBytes is the maximum bytes of ids in an index document; 0:
	// DefaultFollowersBytes.
	FollowersBytes int
	// CopiedFields are the post's top-level fields that its relations copy. Relations
	// always copy createdAt.
	CopiedFields []string
	// AuthorFields are copied from the author's user document to all of the author's
	// posts; none by default. To copy them to relations too, add their Post names to
	// CopiedFields.
	AuthorFields []ProfileField
	// RefFields are copied from the user documents that a post's field refs names, to maps
	// of the post: refNames.{id}; none by default. What refs contains need not be an account.
	RefFields []ProfileField
	// OwnPosts makes authors recipients of their own posts.
	OwnPosts bool
	// Horizon is the longest horizon that relationindex horizon may store: see [Horizon].
	// 0: the stored one is not read, and all posts have relations.
	Horizon time.Duration
	// PostsFilled says that every post has its fields audience and hidden.
	PostsFilled bool
	// TombstoneKey is the secret key of the hashes that name tombstones. Only demo projects
	// may have none: see followers.Graph.CheckTombstoneKey.
	TombstoneKey string
	// KeepPosts keeps the posts of a deleted account, and their relations to groups and
	// recipients.
	KeepPosts bool
	// InlineLimit is the maximum number of documents that a handler writes itself. More
	// become a job. 0: DefaultInlineLimit.
	InlineLimit int
	// Range is the number of index documents of a post that one job handles. A post with more
	// has several jobs, which run at once. 0: DefaultRange.
	Range int
	// Parallel is the maximum number of relations written at once, where they hold no
	// large arrays; 0: DefaultParallel.
	Parallel int
	// Held is how many wrong followers or relations Verify and Repair hold at a time; 0:
	// DefaultHeld.
	Held   int
	Logger *slog.Logger // nil: slog.Default()

	// Timelines configures the delivery by timelines.
	Timelines TimelineOptions
	// RelationsOff says that there is no delivery by relations.
	RelationsOff bool

	// Deliveries are those of the app's own; none by default.
	Deliveries []Delivery

	// Settings says that deliveries read what readers have decided: see package readers.
	Settings bool
	// Idle is after how long a reader who has not been seen is left out until they return; 0:
	// never. It requires Settings.
	Idle time.Duration
}

// TimelineOptions configures the delivery by timelines. The zero value is none.
type TimelineOptions struct {
	// Layout is items, buckets or days; "": no timelines. A database keeps to one.
	Layout string
	// Bucket is the most entries of a bucket; 0: DefaultBucket.
	Bucket int
	// Cap is how many entries items and buckets keep at least, of buckets a multiple of Bucket;
	// 0: all.
	Cap int
	// Expire is how long after createdAt items are deleted, or after its end a day; 0: never.
	Expire time.Duration
	// Backfill is how many of an audience's newest posts a new follower gets; 0: none.
	Backfill int
	// KeepOnUnfollow leaves a reader the entries of an audience that they unfollow.
	KeepOnUnfollow bool
	// Ranked lets comments lift items: at is no longer createdAt, and never falls.
	Ranked bool
	// Ranking is for Ranked.
	Ranking Ranking
}

// The layouts of timelines.
const (
	LayoutItems   = "items"   // a document for each entry
	LayoutBuckets = "buckets" // one for so many entries as they come
	LayoutDays    = "days"    // one for each day
)

// WithDefaults returns o with each zero value replaced by its default.
func (o Options) WithDefaults() Options {
	o.Collections = o.Collections.WithDefaults()
	o.Capacity = cmp.Or(o.Capacity, DefaultCapacity)
	o.FollowersBytes = cmp.Or(o.FollowersBytes, DefaultFollowersBytes)
	o.InlineLimit = cmp.Or(o.InlineLimit, DefaultInlineLimit)
	o.Range = cmp.Or(o.Range, DefaultRange)
	o.Parallel = cmp.Or(o.Parallel, DefaultParallel)
	o.Held = cmp.Or(o.Held, DefaultHeld)
	o.Timelines.Bucket = cmp.Or(o.Timelines.Bucket, DefaultBucket)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Validate returns an error for each option out of its range, joined.
func (o Options) Validate() error {
	o = o.WithDefaults()
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.Capacity >= 1 && o.Capacity <= DefaultCapacity,
		"capacity %d: must be 1 to %d, or production rejects the relation's index entries", o.Capacity, DefaultCapacity)
	check(o.FollowersBytes > MaxIDBytes && o.FollowersBytes <= MaxFollowersBytes,
		"followers bytes %d: must be %d to %d, so that any id fits and the document stays below 1 MiB", o.FollowersBytes, MaxIDBytes+1, MaxFollowersBytes)
	check(o.InlineLimit >= 1 && o.InlineLimit <= 10_000, "inline limit %d: must be 1 to 10,000 documents", o.InlineLimit)
	if err := CheckHorizon(o.Horizon); err != nil {
		errs = append(errs, err)
	}
	check(o.Range >= 1 && o.Range <= MaxIndexDocuments, "range %d: must be 1 to %d index documents", o.Range, MaxIndexDocuments)
	check(o.Parallel >= 1 && o.Parallel <= 1000, "parallel %d: must be 1 to 1,000", o.Parallel)
	check(o.Held >= 1, "held %d: must be at least 1", o.Held)
	tl := o.Timelines
	check(slices.Contains([]string{"", LayoutItems, LayoutBuckets, LayoutDays}, tl.Layout), "timeline %q: must be items, buckets or days", tl.Layout)
	check(tl.Bucket >= 1 && tl.Bucket <= 1000, "buckets of %d: must be 1 to 1,000 entries", tl.Bucket)
	check(tl.Cap == 0 || tl.Cap > 0 && (tl.Layout == LayoutItems || tl.Layout == LayoutBuckets && tl.Cap%max(1, tl.Bucket) == 0),
		"timelines of %s with a cap of %d: items have one, and buckets, of which it is a multiple", tl.Layout, tl.Cap)
	check(tl.Backfill >= 0 && (tl.Backfill == 0 || tl.Layout != ""), "backfill %d: must not be negative, and requires a timeline", tl.Backfill)
	check(!tl.Ranked || tl.Layout == LayoutItems, "ranked timelines of %q: must be items", tl.Layout)
	check(o.Idle >= 0 && (o.Idle == 0 || o.Settings && o.Idle >= MinIdle), "idle after %v: must be at least %v, and requires settings", o.Idle, MinIdle)
	check(!o.RelationsOff || tl.Layout != "" && o.Horizon == 0, "relations off: requires a timeline, and no horizon")
	if err := checkDeliveries(o.Deliveries); err != nil {
		errs = append(errs, err)
	}
	seen := map[string]bool{}
	for _, f := range o.CopiedFields {
		reserved := len(f) > 1500 || strings.HasPrefix(f, "__") && strings.HasSuffix(f, "__") // https://firebase.google.com/docs/firestore/quotas
		check(f == FieldCreatedAt || f != "" && !names.RelationField(f) && !seen[f] && !reserved,
			"copied field %q: must name a field of the post that Firestore allows, only once, and not a field that the relation sets itself", f)
		seen[f] = true
	}
	signed := map[string]bool{}
	for _, f := range slices.Concat(o.AuthorFields, o.RefFields) {
		check(f.User != "" && !names.IndexField(f.User), "field %q=%q: must be a field of the user document that clients write", f.User, f.Post)
		check(f.Post != "" && !slices.Contains(names.PostFields(), f.Post) && !signed[f.Post],
			"field %q=%q: must be a field of the post that is named once, and none of %v", f.User, f.Post, names.PostFields())
		signed[f.Post] = true
	}
	for _, name := range []string{o.Collections.Users, o.Collections.Followers, o.Collections.Posts} {
		if err := CheckID(name); err != nil {
			errs = append(errs, fmt.Errorf("collection: %w", err))
		}
	}
	return errors.Join(errs...)
}

// CopiesProfiles reports whether posts copy any field of user documents.
func (o Options) CopiesProfiles() bool { return len(o.AuthorFields)+len(o.RefFields) > 0 }

// ProfileField is a field of user documents that is copied to posts.
type ProfileField struct {
	User string // field of users/{u}, such as "displayName"
	Post string // field of the posts, such as "authorName"
}

// Generation formats a stored time as the name of a generation.
func Generation(updated time.Time) string { return updated.UTC().Format(time.RFC3339Nano) }
