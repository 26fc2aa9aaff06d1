package schema

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"

	"example.com/relationindex/schema/names"
	"example.com/relationindex/schema/settings"
)

// Config is everything that can be configured: most fields by a variable, the last ones in Go alone. The zero
// value of each field is its default, which [Config.WithDefaults] fills in.
//
// The tags are the rules that [Config.Validate] enforces: see package settings. docs/configuration.md is
// generated from the tags and the comments below.
//
// Functions store their configuration in the database, for commands and deployments. The tag stored has these
// values:
//
//   - no tag: the field determines derived documents. It is stored, and commands must have the same value.
//   - "aside": the field is stored, and a command may have its own value.
//   - "no": the field is not stored. It identifies a database or process, or is a secret.
//
// The tag gap names the deliveries that lack something after the value has changed, until a repair.
type Config struct {
	// # The database

	// Project is the Google Cloud project of the database. Required.
	Project string `env:"GOOGLE_CLOUD_PROJECT" rule:"the id of a project: lower-case letters, digits and hyphens" by:"all" stored:"no"`

	// Database is the database's id. With the deployment's name it has at most 62 characters.
	Database string `env:"RELATIONINDEX_DATABASE" rule:"(default), or the id of another database, which is not default: 4 to 63 lower-case letters, digits and hyphens, a letter first, no hyphen last, not in the form of a UUID" by:"all" stored:"no"`

	// EmulatorHost is the Firestore emulator to use. Deployed functions reject it.
	EmulatorHost string `env:"FIRESTORE_EMULATOR_HOST" rule:"host:port, such as 127.0.0.1:8080" by:"all" stored:"no"`

	// AuthEmulatorHost is the Auth emulator whose unsigned ID tokens Feed accepts. Requires FIRESTORE_EMULATOR_HOST.
	// Deployed functions reject it.
	AuthEmulatorHost string `env:"FIREBASE_AUTH_EMULATOR_HOST" rule:"host:port, such as 127.0.0.1:9099" by:"Feed" stored:"no"`

	// Deployed is when these functions were deployed; `deploy` sets it. The later deployment's configuration is kept.
	Deployed string `env:"RELATIONINDEX_DEPLOYED" rule:"a time, such as 2026-11-25T10:00:00Z" by:"all" stored:"no"`

	// # Feeds

	// Feeds are what brings posts to readers: relations, timelines in one layout, or both. Timelines are documents of each
	// reader: one for each entry (items), for some entries by createdAt (buckets), or for a day (days). After a change of
	// the layout, run `relationindex repair-timelines --delete`.
	Feeds []string `env:"RELATIONINDEX_FEEDS" rule:"relations, items, buckets or days; or relations and one of the others, separated by a comma" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, OnSettingsWritten, OnHiddenWritten, OnCommentWritten, Feed" gap:"relations timelines"`

	// NoOwnPosts leaves authors' own posts out of their feeds. Each post costs one write less.
	NoOwnPosts bool `env:"RELATIONINDEX_NO_OWN_POSTS" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, Feed" gap:"relations timelines"`

	// # The index

	// Capacity is the most followers in an index document, and in each relation. After a change, existing documents keep
	// their followers. Your firestore.indexes.json may allow less.
	Capacity int `env:"RELATIONINDEX_CAPACITY" min:"1" max:"10000" unit:"follower ids" by:"OnFollowerWritten, OnJobWritten"`

	// CopiedFields are the post's fields that relations copy, besides createdAt.
	CopiedFields []string `env:"RELATIONINDEX_COPIED_FIELDS" rule:"fields of the post separated by commas: not counts, and none of the relation's own (postId, userId, audience, indexId, indexVersion, followers, sizeBytes)" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, Feed" gap:"relations timelines"`

	// AuthorFields are fields of the author's user document that posts copy. A job copies each change to all posts.
	AuthorFields []string `env:"RELATIONINDEX_AUTHOR_FIELDS" rule:"user=post separated by commas, such as displayName=authorName: fields that clients write, not userId, createdAt, audience, to, refs, hidden or counts of the post" by:"OnUserWritten, OnPostWritten, OnJobWritten"`

	// RefFields are fields of the user documents in a post's refs. The post copies them as refNames.{id}. A job copies
	// each change.
	RefFields []string `env:"RELATIONINDEX_REF_FIELDS" rule:"as RELATIONINDEX_AUTHOR_FIELDS" by:"OnUserWritten, OnPostWritten, OnJobWritten"`

	// KeepPosts keeps the posts of a deleted account in the feeds of groups and recipients, not of followers.
	KeepPosts bool `env:"RELATIONINDEX_KEEP_POSTS" by:"OnJobWritten"`

	// Horizon is the longest horizon that `relationindex horizon` may store. Set alone, it changes nothing.
	Horizon time.Duration `env:"RELATIONINDEX_HORIZON" min:"1h" max:"87600h" rule:"0, or 1h to 87600h: a duration such as 720h (30 days; there is no unit d)" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten"`

	// PostsFilled says that every post has the fields audience and hidden, as after `relationindex fill-posts`. Feed then
	// makes half as many queries where it reads posts.
	PostsFilled bool `env:"RELATIONINDEX_POSTS_FILLED" by:"OnFollowerWritten, OnPostWritten, OnJobWritten, Feed"`

	// TombstoneKey is the secret key that hashes deleted accounts' ids, and the owners of jobs. `deploy` makes it, and keeps it in Secret
	// Manager. It never changes. Projects named demo-… need none.
	TombstoneKey string `env:"RELATIONINDEX_TOMBSTONE_KEY" secret:"true" rule:"16 to 200 letters, digits, _ and -" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnUserDeleted, OnUserWritten, OnJobWritten, OnSettingsWritten, OnHiddenWritten, OnRequestWritten, OnLikeWritten, OnCommentWritten" stored:"no"`

	// # Timelines

	// Bucket is the most entries in a document of a timeline of buckets.
	Bucket int `env:"RELATIONINDEX_BUCKET" min:"1" max:"1000" unit:"entries" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, Feed"`

	// Cap is how many of its newest entries a timeline of items or buckets keeps. With buckets, it is a multiple of
	// RELATIONINDEX_BUCKET. 0: all.
	Cap int `env:"RELATIONINDEX_CAP" min:"0" max:"1000000" unit:"entries" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, Feed"`

	// Expire is how long items stay after their post's createdAt, and days after their end. Firestore deletes them within a
	// day or so. 0: for ever.
	Expire time.Duration `env:"RELATIONINDEX_EXPIRE" min:"0s" max:"87600h" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, Feed"`

	// Backfill is how many older posts a follow brings to the follower's timeline, the newest first. 0: none.
	Backfill int `env:"RELATIONINDEX_BACKFILL" min:"0" max:"1000" unit:"posts" by:"OnFollowerWritten, OnJobWritten"`

	// KeepOnUnfollow leaves entries in a timeline when its reader unfollows.
	KeepOnUnfollow bool `env:"RELATIONINDEX_KEEP_ON_UNFOLLOW" by:"OnFollowerWritten, OnBlockWritten, OnJobWritten"`

	// # What readers decide

	// ReaderSettings makes functions apply what readers hide to timelines, notifications and the app's own deliveries, not
	// to relations. Each reader of a post costs one read more.
	ReaderSettings bool `env:"RELATIONINDEX_SETTINGS" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, OnSettingsWritten, OnHiddenWritten, Feed" gap:"timelines"`

	// Idle is how long readers may be away and still get posts in their timeline. On return, the newest come. At
	// least 2h. Requires RELATIONINDEX_SETTINGS. 0: for ever.
	Idle time.Duration `env:"RELATIONINDEX_IDLE" min:"0s" max:"87600h" by:"OnPostWritten, OnJobWritten, OnSettingsWritten" gap:"timelines"`

	// Ranked lets comments lift items in timelines, for followers of the commenter or of the comment's audience. Requires
	// items in RELATIONINDEX_FEEDS.
	Ranked bool `env:"RELATIONINDEX_RANKED" by:"OnPostWritten, OnBlockWritten, OnJobWritten, OnFollowerWritten, OnCommentWritten"`

	// # Numbers and notifications

	// Counts keeps the numbers of an account (followers, following, posts) and of a post (likes, comments) in the field
	// counts. `relationindex repair` counts older documents.
	Counts bool `env:"RELATIONINDEX_COUNTS" by:"OnFollowerWritten, OnPostWritten, OnLikeWritten, OnCommentWritten, OnJobWritten"`

	// Notifications keeps notifications of follows, requests, likes, comments and mentions, each for 90 days.
	Notifications bool `env:"RELATIONINDEX_NOTIFICATIONS" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnSettingsWritten, OnRequestWritten, OnLikeWritten, OnCommentWritten, OnJobWritten"`

	// # What accounts may do

	// AccountHour is the acts of one account that an instance of each function handles in an hour. The rest waits in jobs;
	// removals do not wait. Most acts count 1; a post to a group, or a comment with an audience, 10; to hide more 5; to
	// show more, to end a block, to bring back what a block had pushed out, to change a copied field of a profile, or to
	// name a stranger in a post, 30. A stranger follows neither the author nor the audience. Repeated acts on a document
	// count more. Emulators have no bound by default.
	AccountHour int `env:"RELATIONINDEX_ACCOUNT_HOUR" min:"1" max:"1000000" unit:"acts an hour" by:"OnFollowerWritten, OnPostWritten, OnUserWritten, OnBlockWritten, OnSettingsWritten, OnHiddenWritten, OnRequestWritten, OnLikeWritten, OnCommentWritten" stored:"aside"`

	// # The endpoint Feed

	// AppCheck makes Feed require a valid App Check token in the header X-Firebase-AppCheck.
	AppCheck bool `env:"RELATIONINDEX_APP_CHECK" by:"Feed" stored:"aside"`

	// Origins are the web origins whose pages may call Feed, such as https://example.com; * is any. None: only its own
	// origin.
	Origins []string `env:"RELATIONINDEX_CORS_ORIGINS" rule:"origins as browsers send them, separated by commas: http:// or https://, host, port if it is not the scheme's own; no path, no slash at the end, no capital letters, no patterns; or * alone" by:"Feed" stored:"aside"`

	// FeedRate is the requests of one account that an instance of Feed answers in a minute. More get 429. Each 100
	// documents read, or each 128 KiB of a page, counts as a request. Until it ends, a request counts as the most that it
	// may read.
	FeedRate int `env:"RELATIONINDEX_FEED_RATE" min:"1" max:"1000000" unit:"requests a minute" by:"Feed" stored:"aside"`

	// # Names of collections

	// Users is the top-level collection of accounts.
	Users string `env:"RELATIONINDEX_USERS" rule:"a unique name: letters, digits, _ and -, at most 128 characters, no digit or - first, not __ at both ends" by:"all"`

	// Posts is the top-level collection of posts.
	Posts string `env:"RELATIONINDEX_POSTS" rule:"as RELATIONINDEX_USERS" by:"all"`

	// Followers is the collection of follower documents below each user.
	Followers string `env:"RELATIONINDEX_FOLLOWERS" rule:"as RELATIONINDEX_USERS" by:"all"`

	// # Logs

	// LogLevel is the lowest severity that is logged.
	LogLevel slog.Level `env:"RELATIONINDEX_LOG_LEVEL" rule:"DEBUG, INFO, WARN or ERROR" by:"all" stored:"aside"`

	// # In Go alone

	// FollowersBytes is the most bytes of follower ids in an index document, plus one for each id. It limits documents with
	// long ids.
	FollowersBytes int `env:"RELATIONINDEX_TEST_FOLLOWERS_BYTES" tests:"true" min:"1501" max:"843776" unit:"bytes" by:"OnFollowerWritten, OnJobWritten"`

	// InlineLimit is the most documents that a handler writes itself. A job writes more.
	InlineLimit int `env:"RELATIONINDEX_TEST_INLINE_LIMIT" tests:"true" min:"1" max:"10000" unit:"documents" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten, OnSettingsWritten, OnCommentWritten" stored:"aside"`

	// Chunk is the documents in a page of a job.
	Chunk int `env:"RELATIONINDEX_TEST_CHUNK" tests:"true" min:"1" max:"10000" unit:"documents" by:"OnFollowerWritten, OnPostWritten, OnUserDeleted, OnUserWritten, OnJobWritten" stored:"aside"`

	// Lease is the time after which another step takes over a silent job. It must be longer than Step.
	Lease time.Duration `env:"RELATIONINDEX_TEST_LEASE" tests:"true" min:"1s" max:"1h" by:"OnJobWritten" stored:"aside"`

	// Step is the time after which a step of a job hands over to the next, with its last page.
	Step time.Duration `env:"RELATIONINDEX_TEST_STEP" tests:"true" min:"1ns" max:"8m50s" by:"OnJobWritten" stored:"aside"`

	// Range is the index documents of a post that one job handles. The jobs of a post run at once.
	Range int `env:"RELATIONINDEX_TEST_RANGE" tests:"true" min:"1" max:"99999" unit:"index documents" by:"OnPostWritten" stored:"aside"`

	// Parallel is the relations that an instance writes at once. Each may take 3 MB of memory.
	Parallel int `env:"RELATIONINDEX_TEST_PARALLEL" tests:"true" min:"1" max:"1000" unit:"relations" by:"OnFollowerWritten, OnPostWritten, OnBlockWritten, OnJobWritten" stored:"aside"`

	// Held is how many wrong followers or relations Verify and Repair hold at a time; 0: DefaultHeld.
	Held int

	// Logger gets what is logged; nil: slog.Default().
	Logger *slog.Logger

	// Deliveries are those of the app's own; none by default.
	Deliveries []Delivery

	// Ranking says for whom a comment lifts a post, and how high, where Ranked is on.
	Ranking Ranking
}

// DatabaseID returns the id of the database, also if it is (default).
func (c Config) DatabaseID() string { return cmp.Or(c.Database, DefaultDatabase) }

// DefaultDatabase is the id of a project's first database.
const DefaultDatabase = "(default)"

// The feeds that a configuration may have: relations, and the layouts of timelines.
const (
	FeedRelations = "relations"
	LayoutItems   = "items"   // a document for each entry
	LayoutBuckets = "buckets" // one for a fixed number of entries in order
	LayoutDays    = "days"    // one for each day
)

// Layouts returns the layouts of timelines.
func Layouts() []string { return []string{LayoutItems, LayoutBuckets, LayoutDays} }

// Relations reports whether there is a delivery by relations.
func (c Config) Relations() bool {
	return len(c.Feeds) == 0 || slices.Contains(c.Feeds, FeedRelations)
}

// Timeline returns the layout of timelines; "" if there are none.
func (c Config) Timeline() string {
	for _, feed := range c.Feeds {
		if feed != FeedRelations {
			return feed
		}
	}
	return ""
}

// FeedsOf returns the Feeds of a layout, "" for none, with relations or without.
func FeedsOf(layout string, relations bool) []string {
	var feeds []string
	if relations {
		feeds = append(feeds, FeedRelations)
	}
	if layout != "" {
		feeds = append(feeds, layout)
	}
	return feeds
}

// Collections returns the names of the collections, defaults included.
func (c Config) Collections() names.Collections {
	return names.Collections{Users: c.Users, Followers: c.Followers, Posts: c.Posts}.WithDefaults()
}

// ProfileField is a field of user documents that is copied to posts.
type ProfileField struct {
	User string // field of users/{u}, such as "displayName"
	Post string // field of the posts, such as "authorName"
}

// ParseProfileFields returns the fields that a list of user=post names, as AuthorFields and RefFields are.
func ParseProfileFields(pairs []string) (fields []ProfileField) {
	for _, pair := range pairs {
		user, post, _ := strings.Cut(pair, "=")
		fields = append(fields, ProfileField{user, post})
	}
	return fields
}

// Tallies reports whether functions keep numbers or notifications.
func (c Config) Tallies() bool { return c.Counts || c.Notifications }

// CopiesProfiles reports whether posts copy any field of user documents.
func (c Config) CopiesProfiles() bool { return len(c.AuthorFields)+len(c.RefFields) > 0 }

// WithDefaults returns c with each zero value replaced by its default. The project and the emulators have none.
func (c Config) WithDefaults() Config {
	c.Feeds = FeedsOf(c.Timeline(), c.Relations()) // in one order
	c.Capacity = cmp.Or(c.Capacity, DefaultCapacity)
	c.FollowersBytes = cmp.Or(c.FollowersBytes, DefaultFollowersBytes)
	c.InlineLimit = cmp.Or(c.InlineLimit, DefaultInlineLimit)
	c.Chunk = cmp.Or(c.Chunk, DefaultChunk)
	c.Lease = cmp.Or(c.Lease, DefaultLease)
	c.Step = cmp.Or(c.Step, DefaultStep)
	c.Range = cmp.Or(c.Range, DefaultRange)
	c.Parallel = cmp.Or(c.Parallel, DefaultParallel)
	c.Bucket = cmp.Or(c.Bucket, DefaultBucket)
	c.AccountHour = cmp.Or(c.AccountHour, DefaultAccountHour)
	c.FeedRate = cmp.Or(c.FeedRate, DefaultFeedRate)
	c.Held = cmp.Or(c.Held, DefaultHeld)
	names := c.Collections()
	c.Users, c.Followers, c.Posts = names.Users, names.Followers, names.Posts
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c
}

// Settings returns the settings of c, in the order of its fields.
func (c Config) Settings() []settings.Setting { return settings.Of(&c, Config{}.WithDefaults()) }

// DefaultChunk and DefaultLease are those of package chunker.
const (
	DefaultChunk = 500
	DefaultLease = time.Minute
)

// DefaultStep is the work that is repeated if a step dies, and the wait of an owner's other jobs for a turn.
// It is long enough that the two writes of a step do not matter, and shorter than a lease.
const DefaultStep = 25 * time.Second

// MaxStep is the longest time that a step of a job can use for a long page. It is the 540 seconds that an
// event function may run, less a reserve for the write that hands over.
const MaxStep = 530 * time.Second

// DefaultAccountHour is more than a person needs: five posts, follows or comments a minute, for an hour.
const DefaultAccountHour = 300

// DefaultFeedRate is ten requests a second: enough for a person who pages as fast as possible in several tabs.
const DefaultFeedRate = 600
