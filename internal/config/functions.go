package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"

	"example.com/relationindex/internal/config/emulatorenv"
	"example.com/relationindex/relations"
)

// Functions is what the deployed functions are told. The zero value of each
// field is its default.
type Functions struct {
	// Project is the Google Cloud project of the database. Deployments set it: gen2 functions do not have it by themselves.
	Project string `env:"GOOGLE_CLOUD_PROJECT"`

	// EmulatorHost is the host:port of a Firestore emulator to use in place of production.
	EmulatorHost string `env:"FIRESTORE_EMULATOR_HOST"`

	// AuthEmulatorHost is the host:port of an Auth emulator, whose unsigned ID tokens are then accepted in place of
	// production's. Only together with EmulatorHost.
	AuthEmulatorHost string `env:"FIREBASE_AUTH_EMULATOR_HOST"`

	// Capacity is the most follower ids in an index document, 1 to 10,000; 0: 10,000.
	Capacity int `env:"RELATIONINDEX_CAPACITY"`

	// FollowersBytes is the most bytes of follower ids in an index document; 0: 786,432.
	FollowersBytes int `env:"RELATIONINDEX_FOLLOWERS_BYTES"`

	// CopiedFields are the post's fields that its relations carry beside createdAt, separated by commas.
	CopiedFields []string `env:"RELATIONINDEX_COPIED_FIELDS"`

	// AuthorFields are fields of users/{userId} that the author's posts carry
	// copies of, as user=post separated by commas: "displayName=authorName". A
	// change of the user's is carried to all posts by a job. Empty: none.
	AuthorFields []string `env:"RELATIONINDEX_AUTHOR_FIELDS"`

	// KeepPosts leaves the posts of an account that is deleted where they are.
	KeepPosts bool `env:"RELATIONINDEX_KEEP_POSTS"`

	// InlineLimit is the most documents that a handler writes itself; more become a job. 0: 100.
	InlineLimit int `env:"RELATIONINDEX_INLINE_LIMIT"`

	// Chunk is how many documents a job handles between two checkpoints; 0: 500.
	Chunk int `env:"RELATIONINDEX_CHUNK"`

	// Lease is how long a step of a job may be silent before another takes
	// over; longer than the longest page. 0: 1m.
	Lease time.Duration `env:"RELATIONINDEX_LEASE"`

	// Step is the time after which a step of a job begins no more pages and hands
	// over to the next; 0: 8m50s, what the function's timeout leaves.
	Step time.Duration `env:"RELATIONINDEX_STEP"`

	// Lane is how many index documents one lane of a post's job has; with more, lanes run at once. 0: 250.
	Lane int `env:"RELATIONINDEX_LANE"`

	// Parallel is how many relations an instance writes at once; 0: 24.
	Parallel int `env:"RELATIONINDEX_PARALLEL"`

	// AppCheck makes Feed refuse requests without a good App Check token in the header X-Firebase-AppCheck.
	AppCheck bool `env:"RELATIONINDEX_APP_CHECK"`

	// Origins are the web origins that may call Feed from a browser, as https://app.example.com separated by
	// commas, or * for any. Empty: none but its own.
	Origins []string `env:"RELATIONINDEX_CORS_ORIGINS"`

	// Prefix stands before the names of the four collections at the top, whatever they are called:
	// with blue_ they are blue_users, blue_posts, blue__relations and blue__functions. Several copies of the system,
	// each with a prefix of its own, share one database.
	Prefix string `env:"RELATIONINDEX_PREFIX"`

	// Users, Followers, FollowersIndex, Following, Posts, Relations, Blocked and
	// Jobs name the collections. Empty: users, followers, followers_index,
	// following, posts, _relations, blocked, _functions.
	Users          string `env:"RELATIONINDEX_USERS"`
	Followers      string `env:"RELATIONINDEX_FOLLOWERS"`
	FollowersIndex string `env:"RELATIONINDEX_FOLLOWERS_INDEX"`
	Following      string `env:"RELATIONINDEX_FOLLOWING"`
	Posts          string `env:"RELATIONINDEX_POSTS"`
	Relations      string `env:"RELATIONINDEX_RELATIONS"`
	Blocked        string `env:"RELATIONINDEX_BLOCKED"`
	Jobs           string `env:"RELATIONINDEX_JOBS"`

	// OTLPEndpoint is the URL of an OpenTelemetry collector that gets metrics, as http://localhost:4318, to which
	// /v1/metrics is appended. Empty: none are sent.
	OTLPEndpoint string `env:"RELATIONINDEX_OTLP_ENDPOINT"`

	// LogLevel is DEBUG, INFO, WARN or ERROR; INFO.
	LogLevel slog.Level `env:"RELATIONINDEX_LOG_LEVEL, default=INFO"`
}

// MaxStep is the most that a step of a job can use: the 540 seconds that an
// event function may run, less a reserve for the write that hands over.
const MaxStep = 530 * time.Second

const maxLease = time.Hour // no function runs longer

// LoadFunctions reads Functions from the environment and checks it, also
// against indexes, which is firestore.indexes.json. The error names each wrong
// variable, its value and the rule; [CheckDeployed] is part of it.
func LoadFunctions(ctx context.Context, indexes []byte) (Functions, error) {
	var f Functions
	if err := envconfig.Process(ctx, &f); err != nil {
		return Functions{}, fmt.Errorf("environment of the functions: %w", err)
	}
	if err := errors.Join(f.Validate(), CheckDeployed()); err != nil {
		return f, err
	}
	return f, f.CheckIndexes(indexes)
}

// Validate reports every value that is out of its range.
func (f Functions) Validate() error {
	var errs []error
	if f.EmulatorHost != "" {
		errs = append(errs, emulatorenv.CheckHostPort("FIRESTORE_EMULATOR_HOST", f.EmulatorHost))
	}
	if f.AuthEmulatorHost != "" {
		errs = append(errs, emulatorenv.CheckHostPort("FIREBASE_AUTH_EMULATOR_HOST", f.AuthEmulatorHost))
		if f.EmulatorHost == "" {
			errs = append(errs, fmt.Errorf("FIREBASE_AUTH_EMULATOR_HOST=%q: only with FIRESTORE_EMULATOR_HOST, which is not set: ID tokens that nobody has signed would open real data", f.AuthEmulatorHost))
		}
	}
	errs = append(errs, f.validateNames()...)
	if f.Chunk < 0 || f.Chunk > 10_000 {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_CHUNK=%d: must be 1 to 10,000 documents, or 0 for the default", f.Chunk))
	}
	if f.Lease != 0 && (f.Lease < time.Second || f.Lease > maxLease) {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_LEASE=%v: must be 1s to %v, or 0 for the default", f.Lease, maxLease))
	}
	if f.Step < 0 || f.Step > MaxStep {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_STEP=%v: must be positive and at most %v, or 0 for that", f.Step, MaxStep))
	}
	if f.Project == "" {
		errs = append(errs, errors.New("GOOGLE_CLOUD_PROJECT is not set: it must name the database's project"))
	}
	if err := checkCollector(f.OTLPEndpoint); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, checkOrigins(f.Origins)...)
	return errors.Join(append(errs, f.validateRelations()...)...)
}

// validateRelations reports what package relations does not take, each variable by itself.
func (f Functions) validateRelations() []error {
	var errs []error
	for _, v := range []struct {
		variable string
		value    any
		alone    relations.Options
	}{
		{"RELATIONINDEX_CAPACITY", f.Capacity, relations.Options{Capacity: f.Capacity}},
		{"RELATIONINDEX_FOLLOWERS_BYTES", f.FollowersBytes, relations.Options{FollowersBytes: f.FollowersBytes}},
		{"RELATIONINDEX_COPIED_FIELDS", f.CopiedFields, relations.Options{CopiedFields: f.CopiedFields}},
		{"RELATIONINDEX_AUTHOR_FIELDS", f.AuthorFields, relations.Options{AuthorFields: f.authorFields()}},
		{"RELATIONINDEX_INLINE_LIMIT", f.InlineLimit, relations.Options{InlineLimit: f.InlineLimit}},
		{"RELATIONINDEX_PARALLEL", f.Parallel, relations.Options{Parallel: f.Parallel}},
	} {
		if err := v.alone.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("%s=%v: %w", v.variable, v.value, err))
		}
	}
	return errs
}

// RelationsOptions is the part that package relations takes.
func (f Functions) RelationsOptions() relations.Options {
	return relations.Options{
		Collections: f.Collections(), Capacity: f.Capacity, FollowersBytes: f.FollowersBytes,
		CopiedFields: f.CopiedFields, InlineLimit: f.InlineLimit, Lane: f.Lane, Parallel: f.Parallel,
		AuthorFields: f.authorFields(), KeepPosts: f.KeepPosts,
	}
}

func (f Functions) authorFields() []relations.AuthorField {
	var out []relations.AuthorField
	for _, pair := range f.AuthorFields {
		user, post, _ := strings.Cut(pair, "=") // without an =, post is empty, which Validate refuses
		out = append(out, relations.AuthorField{User: user, Post: post})
	}
	return out
}
