package functions_test

import (
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
)

// Production accepts each row. The rules: a concurrency above 1 needs a whole CPU, up to 1,000 deliveries reach an
// instance (Cloud Run); an event function has at most 540 seconds (Cloud Functions); a new project may use 20 CPU.
func TestTriggerTableFitsProductionLimits(t *testing.T) {
	t.Parallel()
	for _, row := range triggers.Table(schema.Config{NoOwnPosts: true, AuthorFields: []string{"a=b"}}) {
		if row.Concurrency > 1 && row.MilliCPU < 1000 {
			t.Errorf("%s: %d deliveries at once with %d milliCPU: Cloud Run wants 1,000", row.Name, row.Concurrency, row.MilliCPU)
		}
		if row.Concurrency < 1 || row.Concurrency > 1000 {
			t.Errorf("%s: %d deliveries at once", row.Name, row.Concurrency)
		}
		if row.MaxInstances < 1 || row.MaxInstances*row.MilliCPU > 20_000 {
			t.Errorf("%s: %d instances with %d milliCPU are not within a new project's quota", row.Name, row.MaxInstances, row.MilliCPU)
		}
		if row.MemoryMiB < 128 || row.MilliCPU < 83 || row.MilliCPU > 2*row.MemoryMiB*1000/256 {
			t.Errorf("%s: %d MiB and %d milliCPU", row.Name, row.MemoryMiB, row.MilliCPU)
		}
		if !row.HTTP() && (row.Timeout < time.Second || row.Timeout > triggers.JobTimeout || row.Document == "") || row.Timeout%time.Second != 0 {
			t.Errorf("%s: timeout %v, documents %q", row.Name, row.Timeout, row.Document)
		}
		if row.Public != (row.Account == triggers.AccountFeed) {
			t.Errorf("%s is public: %v, and runs as %q: what is open to the internet must not write", row.Name, row.Public, row.Account)
		}
	}
}

// A reader's client may write its read position as often as it likes: that triggers no function. A write of the
// reader's settings triggers one.
func TestReadMarkTriggersNoFunction(t *testing.T) {
	t.Parallel()
	called := func(path string) (names []string) {
		for _, row := range triggers.All(schema.Config{NoOwnPosts: true}) {
			pattern, segments := strings.Split(row.Document, "/"), strings.Split(path, "/")
			other := func(n int) bool { return pattern[n] != segments[n] && !strings.HasPrefix(pattern[n], "{") }
			if len(pattern) == len(segments) && !slices.ContainsFunc([]int{0, 1, 2, 3}, other) {
				names = append(names, row.Name)
			}
		}
		return names
	}
	if names := called("users/r/settings/read"); len(names) > 0 {
		t.Errorf("settings/read calls %v", names)
	}
	if names := called("users/r/settings/feed"); !slices.Equal(names, []string{"OnSettingsWritten"}) {
		t.Errorf("settings/feed calls %v", names)
	}
}

// Each row has the method of its name, and no two rows the same.
func TestEachRowHasItsHandler(t *testing.T) {
	t.Parallel()
	for _, row := range triggers.All(schema.Config{NoOwnPosts: true}) {
		if row.HTTP() != (row.Handle == nil) || row.HTTP() != (row.Serve != nil) {
			t.Errorf("%s: called by HTTP %v, handles events %v, serves requests %v", row.Name, row.HTTP(), row.Handle != nil, row.Serve != nil)
			continue
		}
		method := reflect.ValueOf(row.Handle)
		if row.HTTP() {
			method = reflect.ValueOf(row.Serve)
		}
		if name := runtime.FuncForPC(method.Pointer()).Name(); !strings.HasSuffix(name, ".Handlers."+row.Name) {
			t.Errorf("%s is handled by %s", row.Name, name)
		}
	}
	if rows, methods := len(triggers.Names()), reflect.TypeFor[triggers.Handlers]().NumMethod(); rows != methods {
		t.Errorf("%d rows, %d methods", rows, methods)
	}
}

func TestTableHasOnlyFunctionsOfConfiguration(t *testing.T) {
	t.Parallel()
	names := func(table []triggers.Trigger) []string {
		var out []string
		for _, row := range table {
			out = append(out, row.Name)
		}
		return out
	}
	all := schema.Config{NoOwnPosts: true, AuthorFields: []string{"a=b"}, Feeds: []string{"relations", "items"}, ReaderSettings: true, Ranked: true, Notifications: true}
	if diff := cmp.Diff(triggers.Names(), names(triggers.Table(all))); diff != "" {
		t.Errorf("with everything on (-names +table):\n%s", diff)
	}
	plain := names(triggers.Table(schema.Config{NoOwnPosts: true}))
	for what, c := range map[string]struct {
		cfg schema.Config
		by  []string
	}{
		"author fields": {schema.Config{NoOwnPosts: true, AuthorFields: []string{"a=b"}}, []string{"OnUserWritten"}},
		"ref fields":    {schema.Config{NoOwnPosts: true, RefFields: []string{"a=b"}}, []string{"OnUserWritten"}},
		"settings":      {schema.Config{NoOwnPosts: true, Feeds: []string{"relations", "items"}, ReaderSettings: true}, []string{"OnHiddenWritten", "OnSettingsWritten"}},
		"only settings": {schema.Config{NoOwnPosts: true, ReaderSettings: true}, nil},
		"ranking":       {schema.Config{NoOwnPosts: true, Ranked: true}, []string{"OnCommentWritten"}},
		"numbers":       {schema.Config{NoOwnPosts: true, Counts: true}, []string{"OnCommentWritten", "OnLikeWritten"}},
		"notifications": {schema.Config{NoOwnPosts: true, Notifications: true, ReaderSettings: true}, []string{"OnCommentWritten", "OnLikeWritten", "OnRequestWritten", "OnSettingsWritten"}},
	} {
		more := slices.DeleteFunc(names(triggers.Table(c.cfg)), func(name string) bool { return slices.Contains(plain, name) })
		if slices.Sort(more); !slices.Equal(more, c.by) {
			t.Errorf("with %s the table has %v more, want %v", what, more, c.by)
		}
	}
	if events := names(triggers.Events(schema.Config{NoOwnPosts: true})); slices.Contains(events, triggers.Sweep) || slices.Contains(events, triggers.Feed) || len(events) != len(plain)-2 {
		t.Errorf("the functions with events are %v", events)
	}
}
