package schema

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/schema/names"
	"example.com/relationindex/schema/settings"
)

// set is f with one field set.
func set(s settings.Setting, value any) Config {
	f := Config{Project: "demo-a"}
	switch s.Field {
	case "Bucket", "Cap", "Backfill":
		f.Feeds = []string{LayoutBuckets}
	case "Idle":
		f.Feeds, f.ReaderSettings = []string{LayoutBuckets}, true
	case "Expire":
		f.Feeds = []string{LayoutDays}
	}
	field := reflect.ValueOf(&f).Elem().FieldByName(s.Field)
	field.Set(reflect.ValueOf(value).Convert(field.Type()))
	return f
}

// Each setting has all the tags that the page prints, and its default keeps its rule.
func TestEachSettingHasARule(t *testing.T) {
	for _, s := range (Config{}).Settings() {
		if s.Variable == "" || s.Rule == "" || s.By == "" || s.Kind == "number" && s.Unit == "" {
			t.Errorf("%s: a tag is missing: %+v", s.Field, s)
		}
		if _, ok := items[s.Variable]; !ok && (s.Kind == "text" || s.Kind == "list") {
			t.Errorf("%s: no rule that is enforced", s.Variable)
		}
		if s.Kind == "number" || s.Kind == "duration" {
			if lowest, highest := s.Bounds(); lowest < 0 || highest <= lowest {
				t.Errorf("%s: bounds %d and %d", s.Variable, lowest, highest)
			}
		}
	}
	defaults := Config{Project: "demo-a"}.WithDefaults()
	if err := defaults.Validate(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for _, s := range defaults.Settings() {
		if lowest, _ := s.Bounds(); (s.Kind == "number" || s.Kind == "duration") && lowest > 0 && !s.Set() && !strings.HasPrefix(s.Rule, "0, or ") {
			t.Errorf("%s has no default", s.Variable)
		}
	}
}

// The stated bounds are enforced: the values at them are taken, those beyond are refused, by the variable, value and rule.
func TestBoundsAreEnforced(t *testing.T) {
	for _, s := range (Config{}).Settings() {
		if s.Kind != "number" && s.Kind != "duration" {
			continue
		}
		lowest, highest := s.Bounds()
		if s.Field == "Step" && time.Duration(highest) != MaxStep {
			t.Errorf("a step may have %v, and the rule says %s", MaxStep, s.Rule)
		}
		for _, good := range []int64{lowest, highest, 0} {
			if err := set(s, good).Validate(); err != nil {
				t.Errorf("%s at %d: %v", s.Variable, good, err)
			}
		}
		for _, bad := range []int64{highest + 1, lowest - 1, -1} {
			if bad == 0 {
				continue // the default
			}
			if err := set(s, bad).Validate(); err == nil || !strings.Contains(err.Error(), s.Variable+"=") || !strings.HasSuffix(err.Error(), ": must be "+s.Rule) {
				t.Errorf("%s at %d: %v, want an error that ends with its rule", s.Variable, bad, err)
			}
		}
	}
}

func TestDatabaseIDs(t *testing.T) {
	for id, good := range map[string]bool{
		"": true, "blue": true, "b-1-2": true, strings.Repeat("b", 63): true, "abcdef01-2345-6789-abcd-ef0123456789x": true,
		"(default)": false, "default": false, "defaults": true, "blu": false, strings.Repeat("b", 64): false, "Blue": false, "1blue": false, "-blue": false, "blue-": false,
		"blue_2": false, "blue/2": false, "blü-e": false, "abcdef01-2345-6789-abcd-ef0123456789": false,
	} {
		err := Config{Project: "demo-a", Database: id}.Validate()
		if good != (err == nil) || err != nil && !strings.Contains(err.Error(), "RELATIONINDEX_DATABASE=") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// The relation's own fields, which the rule of copied fields lists, are those that the index has.
func TestCopiedFieldsRuleListsRelationFields(t *testing.T) {
	for _, s := range (Config{}).Settings() {
		if s.Field != "CopiedFields" {
			continue
		}
		_, list, _ := strings.Cut(strings.TrimSuffix(s.Rule, ")"), "(")
		for _, name := range strings.Split(list, ", ") {
			if !names.RelationField(name) {
				t.Errorf("%s is not a relation's own field", name)
			}
		}
	}
}
