package config

import (
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// different is a value of each kind that is not the default.
func different(s settings.Setting) any {
	switch s.Kind {
	case "number":
		return 7
	case "true or false":
		return true
	case "list":
		return []string{"the-first-of-a-list", "the-second-of-a-list"}
	case "duration":
		return 3 * time.Hour
	case "level":
		return slog.LevelWarn
	default:
		return "other"
	}
}

// having is a configuration with one field.
func having(s settings.Setting) schema.Config {
	var c schema.Config
	value := different(s)
	if s.Field == "Feeds" {
		value = []string{"days"}
	}
	reflect.ValueOf(&c).Elem().FieldByName(s.Field).Set(reflect.ValueOf(value))
	return c
}

// Each setting is stored, unless its tag says that it names a database or process: a new one
// cannot be forgotten. What is stored of a secret is not the secret.
func TestEachVariableIsStored(t *testing.T) {
	var unstored []string
	for _, s := range (schema.Config{}).Settings() {
		value, stored := Stored(having(s))[s.Variable]
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
	if diff := gocmp.Diff(map[string]string{}, Stored((schema.Config{}.WithDefaults()))); diff != "" {
		t.Errorf("defaults are stored:\n%s", diff)
	}
}

// Each variable, of which functions and shell say something, nothing or the default.
func TestAmong(t *testing.T) {
	for i, s := range (schema.Config{}).Settings() {
		if s.Stored == Unstored {
			continue
		}
		f := having(s)
		said, zero := f.Settings()[i].Value, map[string]string{"true or false": "false", "number": "0", "duration": "0s"}[s.Kind]
		for name, c := range map[string]struct {
			stored map[string]string
			here   string
			differ bool
			want   string // the merged value
		}{
			"the same":                  {Stored(f), said, false, said},
			"only functions":            {Stored(f), "", s.Secret, map[bool]string{false: said}[s.Secret]},
			"only functions, but space": {Stored(f), " ", s.Secret, map[bool]string{false: said, true: " "}[s.Secret]},
			"only here":                 {nil, said, true, said},
			"the default here":          {Stored(f), zero, zero != "" || s.Secret, map[bool]string{true: zero, false: map[bool]string{false: said}[s.Secret]}[zero != ""]},
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

func TestDiffShowsBothValues(t *testing.T) {
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
