package stories

import (
	"slices"
	"testing"
	"time"
)

// Day is the time of the first post of most stories.
var Day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// story is told by a test with an app of its own.
type story struct {
	name string
	tell func(*testing.T, Machine)
	main bool // one of each kind of write, and of each way by which work is done: at once, by a job, by the sweep, twice
}

var stories = []story{
	{"FollowThenFeed", followThenFeed, true},
	{"FlipFlopEndsAsTheTruth", flipFlopEndsAsTheTruth, true},
	{"PostThenFeed", postThenFeed, true},
	{"PostEditReachesTheFeed", postEditReachesTheFeed, true},
	{"DeletedPostLeavesTheFeed", deletedPostLeavesTheFeed, true},
	{"TwiceEveryEvent", twiceEveryEvent, true},
	{"APostToAGroup", aPostToAGroup, true},
	{"DirectRecipients", directRecipients, true},
	{"FanoutBeyondTheInlineLimitIsAJobOfSeveralHops", fanoutBeyondTheInlineLimitIsAJobOfSeveralHops, true},
	{"SweepRunsAJobWhoseEventWasLost", sweepRunsAJobWhoseEventWasLost, true},
	{"ABlockEndsTheFollow", aBlockEndsTheFollow, true},
	{"AuthorFieldsReachPostsAndRelations", authorFieldsReachPostsAndRelations, true},

	{"FollowersRollOverIntoNewIndexDocuments", followersRollOverIntoNewIndexDocuments, false},
	{"ByteBudgetClosesAnIndexDocument", byteBudgetClosesAnIndexDocument, false},
	{"FollowingListNamesAuthors", followingListNamesAuthors, false},
	{"ProfileIsKept", profileIsKept, false},
	{"AuthorChange", authorChange, false},
	{"RelationHoldsWhatClientsNeed", relationHoldsWhatClientsNeed, false},
	{"UnusualIDs", unusualIDs, false},
	{"LongestFollowerID", longestFollowerID, false},
	{"PostIDsThatBeginAlike", postIDsThatBeginAlike, false},
	{"AnAudienceChanges", anAudienceChanges, false},
	{"ADeletedGroup", aDeletedGroup, false},
	{"SyncBeyondTheInlineLimitIsAJob", syncBeyondTheInlineLimitIsAJob, false},
	{"RangesKeepToTheirPost", rangesKeepToTheirPost, false},
	{"ABlockOfOneself", aBlockOfOneself, false},
	{"Purge", purge, false},
	{"AFollowThatComesAfterThePurgeIsRemoved", aFollowThatComesAfterThePurgeIsRemoved, false},
	{"TwiceEveryEventOfRefFields", refFieldsReachPosts, false},
}

// Run runs the main stories on a machine, each as a parallel subtest.
func Run(t *testing.T, m Machine) {
	for _, s := range stories {
		if s.main {
			run(t, m, s)
		}
	}
}

// RunOthers runs the stories that [Run] does not.
func RunOthers(t *testing.T, m Machine) {
	for _, s := range stories {
		if !s.main {
			run(t, m, s)
		}
	}
}

// RunNamed runs the stories with these names.
func RunNamed(t *testing.T, m Machine, names ...string) {
	found := 0
	for _, s := range stories {
		if slices.Contains(names, s.name) {
			run(t, m, s)
			found++
		}
	}
	if found != len(names) {
		t.Errorf("%d stories have the names %q", found, names)
	}
}

func run(t *testing.T, m Machine, s story) {
	t.Run(s.name, func(t *testing.T) {
		t.Parallel()
		s.tell(t, m)
	})
}
