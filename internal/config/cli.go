package config

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sethvargo/go-envconfig"
)

// LoadCLI reads Functions for the command line, where flags may still give the
// project. It checks what it found, but not that there is a project.
func LoadCLI(ctx context.Context) (Functions, error) {
	var f Functions
	if err := envconfig.Process(ctx, &f); err != nil {
		return Functions{}, fmt.Errorf("environment: %w", err)
	}
	checked := f
	if checked.Project == "" {
		checked.Project = "to come"
	}
	return f, checked.Validate()
}

// Variables is f as NAME=value, for the variables that f does not leave at
// their defaults, in the order of the struct. A shell or a child process that
// sets them loads f again.
func (f Functions) Variables() []string {
	var set []string
	for _, v := range f.variables() {
		if v.value != "" {
			set = append(set, v.name+"="+v.value)
		}
	}
	return set
}

// Environ is the environment of this process with f in place of what it says
// of f, for a child that serves the functions. FUNCTION_TARGET goes: it would
// leave the child with one function.
func (f Functions) Environ() []string {
	ours := map[string]bool{"FUNCTION_TARGET": true}
	for _, v := range f.variables() {
		ours[v.name] = true
	}
	others := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return ours[name]
	})
	return append(others, f.Variables()...)
}

type variable struct{ name, value string }

// variables are all of f's. An empty value is the default.
func (f Functions) variables() []variable {
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	jobs, level := f.Jobs, f.LogLevel.String()
	if jobs == "_functions" {
		jobs = ""
	}
	if f.LogLevel == 0 {
		level = ""
	}
	return []variable{
		{"GOOGLE_CLOUD_PROJECT", f.Project},
		{"FIRESTORE_EMULATOR_HOST", f.EmulatorHost},
		{"RELATIONINDEX_CAPACITY", number(f.Capacity)},
		{"RELATIONINDEX_FOLLOWERS_BYTES", number(f.FollowersBytes)},
		{"RELATIONINDEX_COPIED_FIELDS", strings.Join(f.CopiedFields, ",")},
		{"RELATIONINDEX_INLINE_LIMIT", number(f.InlineLimit)},
		{"RELATIONINDEX_PARALLEL", number(f.Parallel)},
		{"RELATIONINDEX_USERS", f.Users},
		{"RELATIONINDEX_FOLLOWERS", f.Followers},
		{"RELATIONINDEX_FOLLOWERS_INDEX", f.FollowersIndex},
		{"RELATIONINDEX_FOLLOWING", f.Following},
		{"RELATIONINDEX_POSTS", f.Posts},
		{"RELATIONINDEX_RELATIONS", f.Relations},
		{"RELATIONINDEX_JOBS", jobs},
		{"RELATIONINDEX_LOG_LEVEL", level},
	}
}
