package config_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/functions"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// The bounds that package relations has are the same: what passes here is not refused there, and nothing less passes.
func TestBoundsAreThoseOfTheIndex(t *testing.T) {
	ofRelations := map[string]bool{"Capacity": true, "FollowersBytes": true, "InlineLimit": true, "Range": true, "Parallel": true}
	for _, s := range (config.Functions{}).Settings() {
		lowest, highest := s.Bounds()
		if s.Field == "Step" && time.Duration(highest) != config.MaxStep {
			t.Errorf("a step may have %v, and the rule says %s", config.MaxStep, s.Rule)
		}
		if !ofRelations[s.Field] {
			continue
		}
		delete(ofRelations, s.Field)
		for _, good := range []int64{lowest, highest} {
			if err := functions.RelationsOptions(config.Set(s, good)).Validate(); err != nil {
				t.Errorf("%s at %d: %v", s.Variable, good, err)
			}
		}
		for _, bad := range []int64{lowest - 1, highest + 1} {
			if err := functions.RelationsOptions(config.Set(s, bad)).Validate(); err == nil && bad != 0 {
				t.Errorf("%s at %d: package relations takes it", s.Variable, bad)
			}
		}
	}
	if len(ofRelations) > 0 {
		t.Errorf("no settings %v", ofRelations)
	}
}

// The defaults are those of the packages that use them, which this package does not link.
func TestDefaultsAreThoseOfThePackages(t *testing.T) {
	want := config.Functions{
		Capacity: schema.DefaultCapacity, FollowersBytes: schema.DefaultFollowersBytes, InlineLimit: schema.DefaultInlineLimit,
		Range: schema.DefaultRange, Parallel: schema.DefaultParallel, Chunk: chunker.DefaultChunk, Lease: chunker.DefaultLease,
		Step: config.DefaultStep, AccountHour: config.DefaultAccountHour, FeedRate: config.DefaultFeedRate, Bucket: schema.DefaultBucket, Users: "users", Posts: "posts", Followers: "followers",
	}
	if diff := gocmp.Diff(want, config.Functions{}.WithDefaults()); diff != "" {
		t.Errorf("(-packages +WithDefaults):\n%s", diff)
	}
	if names.Jobs != chunker.DefaultCollection {
		t.Errorf("jobs are in %s, not in %s", chunker.DefaultCollection, names.Jobs)
	}
}

// The relation's own fields, which the rule of copied fields lists, are those that the index has.
func TestTheRuleOfCopiedFieldsNamesThem(t *testing.T) {
	for _, s := range (config.Functions{}).Settings() {
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

// What a list may hold is what package relations takes.
func TestListsAreThoseOfTheIndex(t *testing.T) {
	fields := append(append(names.RelationFields(), names.PostFields()...), names.FieldFollowersIndex, names.FieldLatestIndex, "text", "")
	var lists []config.Functions
	for _, field := range fields {
		lists = append(lists, config.Functions{CopiedFields: []string{field}})
		for _, other := range fields {
			lists = append(lists, config.Functions{AuthorFields: []string{field + "=" + other}})
			lists = append(lists, config.Functions{RefFields: []string{field + "=" + other}, AuthorFields: []string{"a=text"}})
		}
	}
	lists = append(lists, config.Functions{AuthorFields: []string{"text"}}, config.Functions{CopiedFields: []string{"text", "text"}})
	for _, name := range []string{"people", "__people__", "____", "___", "__people", "people__"} {
		lists = append(lists, config.Functions{Users: name}, config.Functions{Posts: name}, config.Functions{Followers: name})
	}
	var taken []bool
	for _, f := range lists {
		f.Project = "demo-a"
		here, there := f.Validate(), functions.RelationsOptions(f).Validate()
		if (here == nil) != (there == nil) {
			t.Errorf("%+v: %v here, %v in package relations", f, here, there)
		}
		taken = append(taken, here == nil)
	}
	if !slices.Contains(taken, true) || !slices.Contains(taken, false) {
		t.Errorf("all are the same: %v", taken)
	}
}
