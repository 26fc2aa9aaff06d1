// Package stories tests what the system does for its users, as stories: follow, then read the feed;
// post, then read the feed; delete the account, and nothing is left. A story writes documents as
// clients do, waits until nothing is under way, and checks documents. A story does not depend on where
// or how the functions run.
//
// The tests of package functions run the stories, with the functions in their own process. Package
// rehearsal builds and starts the functions as Google does, and runs some of the stories:
//
//	func stories(t *testing.T, m Machine) { stories.Run(t, machine) }
//
// A test that counts, holds or fails the functions' calls is no story, and belongs in package
// functions.
package stories

import (
	"slices"
	"testing"
	"time"
)

// Day is the time of the first post of most stories.
var Day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// tales are told by tests with an app of their own: one of each kind of write, and of each way by which work is done: at once,
// by a job, by the sweep, twice. What else the system promises is in package testkit/deliverytest.
var tales = []struct {
	name string
	tell func(*testing.T, Machine)
}{
	{"FromFollowToUnfollow", fromFollowToUnfollow},
	{"APostToAGroup", aPostToAGroup},
	{"FanoutBeyondTheInlineLimitIsAJobOfSeveralHops", fanoutBeyondTheInlineLimitIsAJobOfSeveralHops},
	{"ABlockEndsTheFollow", aBlockEndsTheFollow},
	{"AFollowThatComesAfterThePurgeIsRemoved", aFollowThatComesAfterThePurgeIsRemoved},
	{"SweepRunsAJobWhoseEventWasLost", sweepRunsAJobWhoseEventWasLost},
	{"UnusualIDs", unusualIDs},
	{"LongestFollowerID", longestFollowerID},
	{"PostIDsThatBeginAlike", postIDsThatBeginAlike},
	{"RangesKeepToTheirPost", rangesKeepToTheirPost},
	{"AuthorFieldsReachPostsAndRelations", authorFieldsReachPostsAndRelations},
	{"TwiceEveryEventOfRefFields", refFieldsReachPosts},
}

// Run runs the stories on a machine, each as a parallel subtest.
func Run(t *testing.T, m Machine) {
	for _, tale := range tales {
		RunNamed(t, m, tale.name)
	}
}

// RunNamed runs the stories with these names.
func RunNamed(t *testing.T, m Machine, names ...string) {
	found := 0
	for _, tale := range tales {
		if slices.Contains(names, tale.name) {
			found++
			t.Run(tale.name, func(t *testing.T) {
				t.Parallel()
				tale.tell(t, m)
			})
		}
	}
	if found != len(names) {
		t.Errorf("%d stories have the names %q", found, names)
	}
}
