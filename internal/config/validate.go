package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/schema/names"
)

// Validate reports every value that breaks its rule, and values that exclude each other.
func (f Functions) Validate() error {
	var errs []error
	for _, s := range f.Settings() {
		if !s.value.IsZero() { // zero is the default
			errs = append(errs, s.check()...)
		}
	}
	if f.Project == "" {
		errs = append(errs, errors.New("GOOGLE_CLOUD_PROJECT is not set: must be the id of the database's project"))
	}
	if f.AuthEmulatorHost != "" && f.EmulatorHost == "" {
		errs = append(errs, fmt.Errorf("FIREBASE_AUTH_EMULATOR_HOST=%q: requires FIRESTORE_EMULATOR_HOST, which is not set: unsigned ID tokens would give access to real data", f.AuthEmulatorHost))
	}
	if len(f.Origins) > 1 && slices.Contains(f.Origins, anyOrigin) {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_CORS_ORIGINS=%q: %s allows every origin, so it must be the only value", strings.Join(f.Origins, ","), anyOrigin))
	}
	errs = append(errs, f.checkRefFields()...)
	// On an emulator it may be shorter: chaos has steps that are at work taken over.
	if d := f.WithDefaults(); len(errs) == 0 && d.Lease <= d.Step && f.EmulatorHost == "" {
		errs = append(errs, fmt.Errorf("RELATIONINDEX_LEASE=%v: must be longer than RELATIONINDEX_STEP, which is %v, or others take over steps that are at work: set a longer lease, or a shorter step", d.Lease, d.Step))
	}
	if len(errs) == 0 {
		errs = f.checkTimelines()
	}
	return errors.Join(append(errs, f.validateNames()...)...)
}

// checkTimelines reports values of timelines that exclude each other.
func (f Functions) checkTimelines() (errs []error) {
	bucket := cmp.Or(f.Bucket, DefaultBucket)
	for _, c := range []struct {
		bad  bool
		what string
	}{
		{f.Timeline != buckets && bucket != DefaultBucket, fmt.Sprintf("RELATIONINDEX_BUCKET=%d: requires RELATIONINDEX_TIMELINE=buckets", f.Bucket)},
		{f.Timeline != buckets && f.Timeline != "items" && f.Cap > 0, fmt.Sprintf("RELATIONINDEX_CAP=%d: requires RELATIONINDEX_TIMELINE=items or buckets", f.Cap)},
		{f.Timeline != "days" && f.Timeline != "items" && f.Expire > 0, fmt.Sprintf("RELATIONINDEX_EXPIRE=%v: requires RELATIONINDEX_TIMELINE=items or days", f.Expire)},
		{f.Timeline == buckets && f.Cap%bucket != 0, fmt.Sprintf("RELATIONINDEX_CAP=%d: must be a multiple of RELATIONINDEX_BUCKET, which is %d", f.Cap, bucket)},
		{f.Cap > 0 && f.Backfill > f.Cap, fmt.Sprintf("RELATIONINDEX_BACKFILL=%d: must be at most RELATIONINDEX_CAP, which is %d", f.Backfill, f.Cap)},
		{f.Timeline == "" && f.Backfill > 0, fmt.Sprintf("RELATIONINDEX_BACKFILL=%d: requires RELATIONINDEX_TIMELINE", f.Backfill)},
		{f.Timeline == "" && f.KeepOnUnfollow, "RELATIONINDEX_KEEP_ON_UNFOLLOW=true: requires RELATIONINDEX_TIMELINE"},
		{f.Timeline == "" && f.RelationsOff, "RELATIONINDEX_RELATIONS_OFF=true: requires RELATIONINDEX_TIMELINE: nothing would bring posts to readers"},
		{f.Idle > 0 && f.Idle < minIdle, fmt.Sprintf("RELATIONINDEX_IDLE=%v: must be at least %v: clients say once an hour that they are there", f.Idle, minIdle)},
		{!f.ReaderSettings && f.Idle > 0, fmt.Sprintf("RELATIONINDEX_IDLE=%v: requires RELATIONINDEX_SETTINGS=true, where clients say that they are there", f.Idle)},
		{f.Timeline != "items" && f.Ranked, "RELATIONINDEX_RANKED=true: requires RELATIONINDEX_TIMELINE=items"},
		{f.RelationsOff && f.Horizon > 0, fmt.Sprintf("RELATIONINDEX_HORIZON=%v: RELATIONINDEX_RELATIONS_OFF leaves no relations to keep", f.Horizon)},
	} {
		if c.bad {
			errs = append(errs, errors.New(c.what))
		}
	}
	return errs
}

const (
	buckets = "buckets"
	minIdle = 2 * time.Hour // as package schema has it
)

func isTimeline(s string) bool { return s == "items" || s == buckets || s == "days" }

func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil
}

// items holds the rules of texts, and of each item of a list.
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
	"RELATIONINDEX_TIMELINE":      isTimeline,
	"RELATIONINDEX_USERS":         isCollection,
	"RELATIONINDEX_POSTS":         isCollection,
	"RELATIONINDEX_FOLLOWERS":     isCollection,
}

// isCopiedField reports whether relations can copy the post's field s.
func isCopiedField(s string) bool {
	return s == names.FieldCreatedAt || s != "" && !names.RelationField(s)
}

// isProfileField reports whether s is a pair user=post of fields that have no meaning to the
// functions.
func isProfileField(s string) bool {
	user, post, _ := strings.Cut(s, "=")
	return user != "" && !names.IndexField(user) && post != "" && !slices.Contains(names.PostFields(), post)
}

// checkRefFields rejects a field of the post that is a copy from the author too.
func (f Functions) checkRefFields() (errs []error) {
	for _, of := range f.AuthorFields {
		for _, ref := range f.RefFields {
			if _, post, ok := strings.Cut(of, "="); ok && strings.HasSuffix(ref, "="+post) {
				errs = append(errs, fmt.Errorf("RELATIONINDEX_REF_FIELDS=%q: %q is a field of RELATIONINDEX_AUTHOR_FIELDS too", strings.Join(f.RefFields, ","), post))
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

// check checks a value that is set against its rule.
func (s Setting) check() []error {
	good, shown := true, strconv.Quote(s.Value)
	switch v := s.value.Interface().(type) {
	case int, time.Duration:
		n := s.value.Int()
		good, shown = s.min <= n && n <= s.max, s.Value
	case slog.Level:
		good = slices.Contains([]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}, v)
	case string:
		if good = items[s.Variable](v); s.Secret {
			shown = s.Shown()
		}
	case []string:
		return s.checkList(v)
	}
	if good {
		return nil
	}
	return []error{s.wrong(shown)}
}

func (s Setting) checkList(list []string) (errs []error) {
	seen := map[string]bool{}
	for i, item := range list {
		target := item
		if _, post, ok := strings.Cut(item, "="); ok {
			target = post // the copy of at most one user field
		}
		switch {
		case item == "":
			errs = append(errs, s.wrong(fmt.Sprintf("%q: item %d is empty", s.Value, i+1)))
		case !items[s.Variable](item):
			errs = append(errs, s.wrong(fmt.Sprintf("%q: %q", s.Value, item)))
		case seen[target]:
			errs = append(errs, s.wrong(fmt.Sprintf("%q: contains %q twice", s.Value, target)))
		}
		seen[target] = true
	}
	return errs
}

// wrong returns the error of a value, shown as given.
func (s Setting) wrong(value string) error {
	return fmt.Errorf("%s=%s: must be %s", s.Variable, value, s.Rule)
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
