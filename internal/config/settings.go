package config

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// WithDefaults returns f with defaults in the fields that are zero. Project and the
// emulators have no defaults. The packages that use a field have the same default; a test
// compares them.
func (f Functions) WithDefaults() Functions {
	f.Capacity = cmp.Or(f.Capacity, 10_000)
	f.FollowersBytes = cmp.Or(f.FollowersBytes, 768<<10)
	f.InlineLimit = cmp.Or(f.InlineLimit, 100)
	f.Range = cmp.Or(f.Range, 250)
	f.Parallel = cmp.Or(f.Parallel, 24)
	f.Bucket = cmp.Or(f.Bucket, DefaultBucket)
	f.Chunk = cmp.Or(f.Chunk, 500)
	f.Lease = cmp.Or(f.Lease, time.Minute)
	f.Step = cmp.Or(f.Step, DefaultStep)
	f.AccountHour = cmp.Or(f.AccountHour, DefaultAccountHour)
	f.FeedRate = cmp.Or(f.FeedRate, DefaultFeedRate)
	c := f.Collections()
	f.Users, f.Followers, f.Posts = c.Users, c.Followers, c.Posts
	return f
}

// Setting is one variable of Functions.
type Setting struct {
	Variable string
	Field    string // of Functions
	Value    string // as the variable holds it; "" is the default
	Default  string // "" is none
	Kind     string // of a value: "number", "duration", "list", "text", "true or false", "level"
	Unit     string // of a number
	Rule     string // what the value must be
	By       string // the functions that use it, or "all"
	Secret   bool   // never show Value: see Shown
	Stored   Stored
	Gap      []string // the deliveries that lack something when the value has changed

	min, max int64 // of a number or a duration
	value    reflect.Value
}

// Settings returns all variables of f, in the order of the struct.
func (f Functions) Settings() []Setting {
	value, standard := reflect.ValueOf(f), reflect.ValueOf(Functions{}.WithDefaults())
	var all []Setting
	for i, field := range reflect.VisibleFields(value.Type()) {
		tag := field.Tag.Get
		s := Setting{
			Variable: tag("env"), Field: field.Name, Unit: tag("unit"), Rule: tag("rule"), By: tag("by"), Secret: tag("secret") != "",
			Stored: Stored(tag("stored")), Gap: strings.Fields(tag("gap")),
			Value: text(value.Field(i)), Default: text(standard.Field(i)), value: value.Field(i),
		}
		if other, ok := strings.CutPrefix(s.Rule, "as "); ok {
			i := slices.IndexFunc(all, func(before Setting) bool { return before.Variable == other })
			s.Rule = all[i].Rule
		}
		switch s.value.Interface().(type) {
		case int:
			s.Kind, s.min, s.max = "number", bound(tag("min"), strconv.Atoi), bound(tag("max"), strconv.Atoi)
			s.Rule = fmt.Sprintf("%s to %s %s", thousands(s.min), thousands(s.max), s.Unit)
			s.Default = thousands(standard.Field(i).Int())
		case time.Duration:
			s.Kind, s.min, s.max = "duration", bound(tag("min"), time.ParseDuration), bound(tag("max"), time.ParseDuration)
			s.Rule = cmp.Or(s.Rule, fmt.Sprintf("%s to %s", tag("min"), tag("max")))
		case bool:
			s.Kind, s.Rule, s.Default = "true or false", "true or false", "false"
		case slog.Level:
			s.Kind, s.Default = "level", slog.LevelInfo.String()
		case []string:
			s.Kind = "list"
		default:
			s.Kind = "text"
		}
		all = append(all, s)
	}
	return all
}

// VariableTombstones is the variable for the key of tombstones. Its value is a secret,
// so no command line contains it.
const VariableTombstones = "RELATIONINDEX_TOMBSTONE_KEY"

// TombstoneVersion is the version of the secret TombstoneSecret that functions read.
const TombstoneVersion = "1"

// TombstoneSecret returns the name of the secret, in the project's Secret Manager, with the key
// of tombstones: relationindex-tombstone-key-default.
func (f Functions) TombstoneSecret() string {
	return "relationindex-tombstone-key-" + cmp.Or(f.Database, "default")
}

// NeedsTombstones reports whether a function looks for tombstones.
func NeedsTombstones(function string) bool {
	all := Functions{}.Settings()
	i := slices.IndexFunc(all, func(s Setting) bool { return s.Variable == VariableTombstones })
	return slices.Contains(strings.Split(all[i].By, ", "), function)
}

// Shown returns Value for people, logs and command lines, without a secret.
func (s Setting) Shown() string {
	if s.Secret && s.Value != "" {
		return "(secret)"
	}
	return s.Value
}

// bound parses a bound in a tag. Without a valid bound it returns the smallest number; a
// test rejects such a tag.
func bound[T ~int | ~int64](tag string, parse func(string) (T, error)) int64 {
	if n, err := parse(tag); err == nil {
		return int64(n)
	}
	return math.MinInt64
}

// text returns a value as its variable holds it; "" for the zero value,
// which is the default.
func text(value reflect.Value) string {
	if value.IsZero() {
		return ""
	}
	switch v := value.Interface().(type) {
	case []string:
		return strings.Join(v, ",")
	case time.Duration: // 1m0s is 1m
		text := v.String()
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, zero) {
				text = text[:len(text)-2]
			}
		}
		return text
	default:
		return fmt.Sprint(v)
	}
}

// thousands formats n with commas: 10,000.
func thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
