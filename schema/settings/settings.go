// Package settings reads the fields of a configuration, and the rules in their tags, so that variables, checks
// and pages are made from one struct. The package is independent of the meaning of the fields.
//
// A field with the tag env is a setting: env is its variable. The other tags are:
//
//   - min, max and unit, of a number or a duration;
//   - rule, the rule for another value;
//   - by, the functions that use it;
//   - secret, if its value is never shown;
//   - stored and gap, which package config explains;
//   - tests, if only tests on an emulator may set it.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one variable, with its value in a configuration.
type Setting struct {
	Variable string
	Field    string // of the struct
	Value    string // as the variable holds it; "" is the default
	Default  string // "" is none
	Kind     string // of a value: "number", "duration", "list", "text", "true or false", "level"
	Unit     string // of a number
	Rule     string // what the value must be
	By       string // the functions that use it, or "all"
	Secret   bool   // never show Value: see Shown
	Tests    bool   // for tests on an emulator alone
	Stored   string // the tag
	Gap      []string

	min, max int64 // of a number or a duration
	value    reflect.Value
}

// Of returns the settings of a struct, in the order of its fields. config is a pointer to the struct. standard
// is a struct with every default.
func Of(config, standard any) []Setting {
	value, defaults := reflect.ValueOf(config).Elem(), reflect.ValueOf(standard)
	var all []Setting
	for i, field := range reflect.VisibleFields(value.Type()) {
		if field.Tag.Get("env") != "" {
			all = append(all, one(field, value.Field(i), defaults.Field(i), all))
		}
	}
	return all
}

func one(field reflect.StructField, value, standard reflect.Value, before []Setting) Setting {
	tag := field.Tag.Get
	s := Setting{
		Variable: tag("env"), Field: field.Name, Unit: tag("unit"), Rule: tag("rule"), By: tag("by"),
		Secret: tag("secret") != "", Tests: tag("tests") != "", Stored: tag("stored"), Gap: strings.Fields(tag("gap")),
		Value: text(value), Default: text(standard), value: value,
	}
	if other, ok := strings.CutPrefix(s.Rule, "as "); ok {
		i := slices.IndexFunc(before, func(b Setting) bool { return b.Variable == other })
		s.Rule = before[i].Rule
	}
	switch value.Interface().(type) {
	case int:
		s.Kind, s.min, s.max = "number", bound(tag("min"), strconv.Atoi), bound(tag("max"), strconv.Atoi)
		s.Rule = fmt.Sprintf("%s to %s %s", thousands(s.min), thousands(s.max), s.Unit)
		s.Default = thousands(standard.Int())
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
	return s
}

// Parse stores the text of a variable in its field. If the text is not of the kind, or is a 0 that the rule
// does not allow, Parse returns the error of [Setting.Wrong].
func (s Setting) Parse(value string) error {
	err := parse(strings.TrimSpace(value), s.value.Addr().Interface())
	if err != nil || s.value.IsZero() && s.min > 0 && !strings.HasPrefix(s.Rule, "0") {
		return s.Wrong(strconv.Quote(value))
	}
	return nil
}

func parse(value string, into any) (err error) {
	switch into := into.(type) {
	case *string:
		*into = value
	case *[]string:
		for item := range strings.SplitSeq(value, ",") {
			*into = append(*into, strings.TrimSpace(item))
		}
	case *int:
		*into, err = strconv.Atoi(value)
	case *bool:
		*into, err = strconv.ParseBool(value)
	case *time.Duration:
		*into, err = time.ParseDuration(value)
	case *slog.Level:
		err = into.UnmarshalText([]byte(value))
	default:
		return fmt.Errorf("no parser for %T", into)
	}
	return err
}

// Check returns an error for each fault of a value that is set. item is the rule of a text, or of each item of
// a list.
func (s Setting) Check(item func(string) bool) error {
	if s.value.IsZero() {
		return nil
	}
	good, shown := true, strconv.Quote(s.Value)
	switch v := s.value.Interface().(type) {
	case int, time.Duration:
		n := s.value.Int()
		good, shown = s.min <= n && n <= s.max, s.Value
	case slog.Level:
		good = slices.Contains([]slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn, slog.LevelError}, v)
	case string:
		if good = item(v); s.Secret {
			shown = s.Shown()
		}
	case []string:
		return s.checkList(v, item)
	}
	if good {
		return nil
	}
	return s.Wrong(shown)
}

func (s Setting) checkList(list []string, good func(string) bool) error {
	var errs []error
	seen := map[string]bool{}
	for i, item := range list {
		target := item
		if _, after, ok := strings.Cut(item, "="); ok {
			target = after // set at most once
		}
		switch {
		case item == "":
			errs = append(errs, s.Wrong(fmt.Sprintf("%q: item %d is empty", s.Value, i+1)))
		case !good(item):
			errs = append(errs, s.Wrong(fmt.Sprintf("%q: %q", s.Value, item)))
		case seen[target]:
			errs = append(errs, s.Wrong(fmt.Sprintf("%q: contains %q twice", s.Value, target)))
		}
		seen[target] = true
	}
	return errors.Join(errs...)
}

// Wrong returns the error of a value, shown as given.
func (s Setting) Wrong(value string) error {
	return fmt.Errorf("%s=%s: must be %s", s.Variable, value, s.Rule)
}

// Set reports whether the value is not the zero value, which is the default.
func (s Setting) Set() bool { return !s.value.IsZero() }

// Bounds returns the bounds of a number or a duration.
func (s Setting) Bounds() (lowest, highest int64) { return s.min, s.max }

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
