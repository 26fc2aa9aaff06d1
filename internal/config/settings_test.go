package config

import (
	"math"
	"reflect"
	"strings"
	"testing"
)

// set is f with one field set.
func set(s Setting, value any) Functions {
	f := Functions{Project: "demo-a"}
	switch s.Field {
	case "Bucket", "Cap", "Backfill":
		f.Timeline = buckets
	case "Idle":
		f.Timeline, f.ReaderSettings = buckets, true
	case "Expire":
		f.Timeline = "days"
	}
	field := reflect.ValueOf(&f).Elem().FieldByName(s.Field)
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
	return f
}

// What a page can say of a setting is said of each, and a default keeps the rule.
func TestEachSettingHasARule(t *testing.T) {
	for _, s := range (Functions{}).Settings() {
		if s.Variable == "" || s.Rule == "" || s.By == "" || s.Kind == "number" && s.Unit == "" {
			t.Errorf("%s: a tag is missing: %+v", s.Field, s)
		}
		if _, ok := items[s.Variable]; !ok && (s.Kind == "text" || s.Kind == "list") {
			t.Errorf("%s: no rule that is enforced", s.Variable)
		}
		if s.Kind == "number" || s.Kind == "duration" {
			if s.min == math.MinInt64 || s.max == math.MinInt64 || s.min < 0 || s.max <= s.min {
				t.Errorf("%s: bounds %d and %d", s.Variable, s.min, s.max)
			}
		}
	}
	defaults := Functions{Project: "demo-a"}.WithDefaults()
	if err := defaults.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for _, s := range defaults.Settings() {
		if (s.Kind == "number" || s.Kind == "duration") && s.min > 0 && s.value.IsZero() && !strings.HasPrefix(s.Rule, "0, or ") {
			t.Errorf("%s has no default", s.Variable)
		}
	}
}

// The stated bounds are enforced: the values at them are taken, those beyond are refused, by the variable, value and rule.
func TestBoundsAreEnforced(t *testing.T) {
	for _, s := range (Functions{}).Settings() {
		if s.Kind != "number" && s.Kind != "duration" {
			continue
		}
		for _, good := range []int64{s.min, s.max, 0} {
			f := set(s, good)
			f.EmulatorHost = "127.0.0.1:8080" // where a lease may be shorter than a step
			if err := f.Validate(); err != nil {
				t.Errorf("%s at %d: %v", s.Variable, good, err)
			}
		}
		for _, bad := range []int64{s.max + 1, s.min - 1, -1} {
			if bad == 0 {
				continue // the default
			}
			if err := set(s, bad).Validate(); err == nil || !strings.Contains(err.Error(), s.Variable+"=") || !strings.HasSuffix(err.Error(), ": must be "+s.Rule) {
				t.Errorf("%s at %d: %v, want an error that ends with its rule", s.Variable, bad, err)
			}
		}
	}
}
