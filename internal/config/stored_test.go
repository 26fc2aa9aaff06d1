package config

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
)

// different is a value of each kind that is not the default.
func different(s Setting) any {
	switch s.value.Interface().(type) {
	case int:
		return 7
	case bool:
		return true
	case []string:
		return []string{"the-first-of-a-list", "the-second-of-a-list"}
	case time.Duration:
		return 3 * time.Hour
	case string:
		return "other"
	default: // a level
		return s.value.Interface()
	}
}

// Each field of Functions is stored, unless its tag says that it names a database or process: a new one
// cannot be forgotten. What is stored of a secret is not the secret.
func TestEachVariableIsStored(t *testing.T) {
	var f Functions
	fields := reflect.ValueOf(&f).Elem()
	var unstored []string
	for i, s := range f.Settings() {
		fields.Field(i).Set(reflect.ValueOf(different(s)))
		if s.Field == "LogLevel" {
			f.LogLevel = 4
		}
		value, stored := f.Stored()[s.Variable]
		if s.Stored == Unstored {
			unstored = append(unstored, s.Field)
		}
		if stored == (s.Stored == Unstored) {
			t.Errorf("%s is stored: %v", s.Variable, stored)
		}
		if s.Secret && strings.Contains(value, "list") {
			t.Errorf("of %s, %s is stored", s.Variable, value)
		}
	}
	if want := []string{"Project", "Database", "EmulatorHost", "AuthEmulatorHost", "Deployed", "TombstoneKey"}; !slices.Equal(unstored, want) {
		t.Errorf("%q are not stored, want %q", unstored, want)
	}
	if diff := gocmp.Diff(map[string]string{}, (Functions{}.WithDefaults()).Stored()); diff != "" {
		t.Errorf("defaults are stored:\n%s", diff)
	}
}

// Each variable, of which functions and shell say something, nothing or the default.
func TestAmong(t *testing.T) {
	for i, s := range (Functions{}).Settings() {
		if s.Stored == Unstored {
			continue
		}
		var f Functions
		reflect.ValueOf(&f).Elem().Field(i).Set(reflect.ValueOf(different(s)))
		if f.LogLevel = 0; s.Field == "LogLevel" {
			f.LogLevel = 4
		}
		said, zero := f.Settings()[i].Value, map[string]string{"true or false": "false", "number": "0", "duration": "0s"}[s.Kind]
		for name, c := range map[string]struct {
			stored map[string]string
			here   string
			differ bool
			want   string // the merged value
		}{
			"the same":                  {f.Stored(), said, false, said},
			"only functions":            {f.Stored(), "", s.Secret, map[bool]string{false: said}[s.Secret]},
			"only functions, but space": {f.Stored(), " ", s.Secret, map[bool]string{false: said, true: " "}[s.Secret]},
			"only here":                 {nil, said, true, said},
			"the default here":          {f.Stored(), zero, zero != "" || s.Secret, map[bool]string{true: zero, false: map[bool]string{false: said}[s.Secret]}[zero != ""]},
			"both the default":          {map[string]string{}, zero, false, zero},
		} {
			env := Environment{"HOME": "x", s.Variable: c.here}
			before := maps.Clone(env)
			merged, differ, err := env.Among(c.stored)
			if err != nil || (len(differ) == 1) != c.differ || len(differ) > 1 || merged[s.Variable] != c.want || merged["HOME"] != "x" {
				t.Errorf("%s, %s: %q differ, %v; it is %q, want %q", s.Variable, name, differ, err, merged[s.Variable], c.want)
			}
			if !maps.Equal(env, before) {
				t.Errorf("%s, %s: the environment was changed", s.Variable, name)
			}
		}
	}
	for _, stored := range []map[string]string{{"RELATIONINDEX_NEW": "x"}, {"RELATIONINDEX_CAPACITY": "many"}} {
		if _, _, err := (Environment{}).Among(stored); !errors.Is(err, ErrOtherRelease) {
			t.Errorf("%v: %v", stored, err)
		}
	}
}

func TestADifferenceSaysBothValues(t *testing.T) {
	for want, c := range map[string][2]string{
		"RELATIONINDEX_CAPACITY: the functions run with the default, 10,000, here it is 5": {"", "5"},
		"RELATIONINDEX_CAPACITY: the functions run with 5, here it is 7":                   {"5", "7"},
	} {
		got := Differences(map[string]string{"RELATIONINDEX_CAPACITY": c[0]}, map[string]string{"RELATIONINDEX_CAPACITY": c[1]})
		if len(got) != 1 || got[0].String() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
