package schema

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/schema/names"
)

// Validate reports every value that breaks its rule, and values that exclude each other. The error joins one
// error for each. It names fields by their variables.
func (c Config) Validate() error {
	errs := []error{c.CheckEach()}
	if c.AuthEmulatorHost != "" && c.EmulatorHost == "" {
		errs = append(errs, fmt.Errorf("FIREBASE_AUTH_EMULATOR_HOST=%q: requires FIRESTORE_EMULATOR_HOST, which is not set: unsigned ID tokens would give access to real data", c.AuthEmulatorHost))
	}
	if len(c.Origins) > 1 && slices.Contains(c.Origins, anyOrigin) {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_CORS_ORIGINS=%q: %s allows every origin, so it must be the only value", strings.Join(c.Origins, ","), anyOrigin))
	}
	errs = append(errs, c.checkRefFields()...)
	if c.Held < 0 {
		errs = append(errs, fmt.Errorf("held %d: must be at least 1, or 0 for the default", c.Held))
	}
	errs = append(errs, checkDeliveries(c.Deliveries))
	if errors.Join(errs...) == nil {
		errs = c.checkFeeds()
	}
	return errors.Join(append(errs, c.validateNames()...)...)
}

// CheckEach reports every value that breaks its own rule.
func (c Config) CheckEach() error {
	var errs []error
	for _, s := range c.Settings() {
		errs = append(errs, s.Check(items[s.Variable]))
	}
	return errors.Join(errs...)
}

// checkFeeds reports values that exclude each other.
func (c Config) checkFeeds() (errs []error) {
	layout, bucket := c.Timeline(), cmp.Or(c.Bucket, DefaultBucket)
	feeds := strings.Join(c.Feeds, ",")
	for _, check := range []struct {
		bad  bool
		what string
	}{
		{len(c.Feeds) > 2 || len(c.Feeds) == 2 && !c.Relations(), fmt.Sprintf("RELATIONINDEX_FEEDS=%q: a database has one layout of timelines: items, buckets or days", feeds)},
		{layout != LayoutBuckets && bucket != DefaultBucket, fmt.Sprintf("RELATIONINDEX_BUCKET=%d: requires buckets in RELATIONINDEX_FEEDS", c.Bucket)},
		{layout != LayoutBuckets && layout != LayoutItems && c.Cap > 0, fmt.Sprintf("RELATIONINDEX_CAP=%d: requires items or buckets in RELATIONINDEX_FEEDS", c.Cap)},
		{layout != LayoutDays && layout != LayoutItems && c.Expire > 0, fmt.Sprintf("RELATIONINDEX_EXPIRE=%v: requires items or days in RELATIONINDEX_FEEDS", c.Expire)},
		{layout == LayoutBuckets && c.Cap%bucket != 0, fmt.Sprintf("RELATIONINDEX_CAP=%d: must be a multiple of RELATIONINDEX_BUCKET, which is %d", c.Cap, bucket)},
		{c.Cap > 0 && c.Backfill > c.Cap, fmt.Sprintf("RELATIONINDEX_BACKFILL=%d: must be at most RELATIONINDEX_CAP, which is %d", c.Backfill, c.Cap)},
		{layout == "" && c.Backfill > 0, fmt.Sprintf("RELATIONINDEX_BACKFILL=%d: requires timelines: items, buckets or days in RELATIONINDEX_FEEDS", c.Backfill)},
		{layout == "" && c.KeepOnUnfollow, "RELATIONINDEX_KEEP_ON_UNFOLLOW=true: requires timelines: items, buckets or days in RELATIONINDEX_FEEDS"},
		{c.Idle > 0 && c.Idle < MinIdle, fmt.Sprintf("RELATIONINDEX_IDLE=%v: must be at least %v: clients say once an hour that they are there", c.Idle, MinIdle)},
		{!c.ReaderSettings && c.Idle > 0, fmt.Sprintf("RELATIONINDEX_IDLE=%v: requires RELATIONINDEX_SETTINGS=true, where clients say that they are there", c.Idle)},
		{layout != LayoutItems && c.Ranked, "RELATIONINDEX_RANKED=true: requires items in RELATIONINDEX_FEEDS"},
		{!c.Relations() && c.Horizon > 0, fmt.Sprintf("RELATIONINDEX_HORIZON=%v: RELATIONINDEX_FEEDS=%s has no relations to keep", c.Horizon, feeds)},
	} {
		if check.bad {
			errs = append(errs, errors.New(check.what))
		}
	}
	return errs
}

func isFeed(s string) bool { return s == FeedRelations || slices.Contains(Layouts(), s) }

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// items holds the rules of texts, and of each item of a list, by their variables.
var items = map[string]func(string) bool{
	"GOOGLE_CLOUD_PROJECT":        isProject,
	"RELATIONINDEX_DATABASE":      isDatabase,
	"FIRESTORE_EMULATOR_HOST":     isHostPort,
	"FIREBASE_AUTH_EMULATOR_HOST": isHostPort,
	"RELATIONINDEX_DEPLOYED":      isTime,
	"RELATIONINDEX_COPIED_FIELDS": isCopiedField,
	"RELATIONINDEX_AUTHOR_FIELDS": isProfileField,
	"RELATIONINDEX_REF_FIELDS":    isProfileField,
	"RELATIONINDEX_CORS_ORIGINS":  func(s string) bool { return s == anyOrigin || isOrigin(s) },
	"RELATIONINDEX_TOMBSTONE_KEY": isTombstoneKey,
	"RELATIONINDEX_FEEDS":         isFeed,
	"RELATIONINDEX_USERS":         isCollection,
	"RELATIONINDEX_POSTS":         isCollection,
	"RELATIONINDEX_FOLLOWERS":     isCollection,
}

// isCopiedField reports whether relations can copy the post's field s.
func isCopiedField(s string) bool {
	return s == names.FieldCreatedAt || s != "" && s != names.FieldCounts && !names.RelationField(s) && len(s) <= MaxIDBytes && !isReserved(s)
}

// isProfileField reports whether s is a pair user=post of fields that have no meaning to the
// functions.
func isProfileField(s string) bool {
	user, post, _ := strings.Cut(s, "=")
	return user != "" && !names.IndexField(user) && post != "" && post != names.FieldCounts && !slices.Contains(names.PostFields(), post)
}

// checkRefFields rejects a post field that is also a copy from the author.
func (c Config) checkRefFields() (errs []error) {
	for _, of := range c.AuthorFields {
		for _, ref := range c.RefFields {
			if _, post, ok := strings.Cut(of, "="); ok && strings.HasSuffix(ref, "="+post) {
				errs = append(errs, fmt.Errorf("RELATIONINDEX_REF_FIELDS=%q: %q is a field of RELATIONINDEX_AUTHOR_FIELDS too", strings.Join(c.RefFields, ","), post))
			}
		}
	}
	return errs
}

func isTombstoneKey(s string) bool {
	return len(s) >= 16 && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
}

// isHostPort accepts "127.0.0.1:8080" and "[::1]:8080", but neither a scheme nor port 0.
func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	n, wrong := strconv.Atoi(port)
	return err == nil && host != "" && !strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || r == '/' }) && wrong == nil && n >= 1 && n <= 65535
}

// isProject reports whether s can be the id of a project. Old ids begin with a domain:
// example.com:project.
func isProject(s string) bool {
	domain, id, ok := strings.Cut(s, ":")
	if !ok {
		domain, id = "", s
	}
	const letters, others = "abcdefghijklmnopqrstuvwxyz", "0123456789-"
	return len(s) <= 128 && strings.Trim(domain, letters+others+".") == "" && ok == (domain != "") &&
		id != "" && strings.Trim(id, letters+others) == "" && strings.Contains(letters, id[:1])
}

// isDatabase reports whether s can be the id of a database that is not (default). The
// rule follows the reference of CreateDatabaseRequest (Firestore Admin API v1, read
// November 2026), which also rejects ids in the form of a UUID. The id default is
// rejected too: the user means (default).
func isDatabase(s string) bool {
	const letters, others = "abcdefghijklmnopqrstuvwxyz", "0123456789-"
	form := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return 'x'
		}
		return r
	}, s)
	return s != "default" && len(s) >= 4 && len(s) <= 63 && strings.Trim(s, letters+others) == "" &&
		strings.Contains(letters, s[:1]) && !strings.HasSuffix(s, "-") && form != "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
}
