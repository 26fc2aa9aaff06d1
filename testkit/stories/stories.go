package stories

import (
	"testing"
	"time"
)

// Day is the time of the first post of most stories.
var Day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// stories run in parallel, as far as -parallel allows.
var stories = []struct {
	name string
	tell func(*testing.T, Machine)
}{
	{"FollowThenFeed", followThenFeed},
	{"FollowersRollOverIntoNewIndexDocuments", followersRollOverIntoNewIndexDocuments},
	{"ByteBudgetClosesAnIndexDocument", byteBudgetClosesAnIndexDocument},
	{"FollowingListNamesAuthors", followingListNamesAuthors},
	{"ProfileIsKept", profileIsKept},
	{"FlipFlopEndsAsTheTruth", flipFlopEndsAsTheTruth},

	{"PostThenFeed", postThenFeed},
	{"PostEditReachesTheFeed", postEditReachesTheFeed},
	{"AuthorChange", authorChange},
	{"DeletedPostLeavesTheFeed", deletedPostLeavesTheFeed},
	{"RelationHoldsWhatClientsNeed", relationHoldsWhatClientsNeed},
	{"UnusualIDs", unusualIDs},
	{"LongestFollowerID", longestFollowerID},
	{"PostIDsThatBeginAlike", postIDsThatBeginAlike},
	{"TwiceEveryEvent", twiceEveryEvent},

	{"APostToAGroup", aPostToAGroup},
	{"AnAudienceChanges", anAudienceChanges},
	{"DirectRecipients", directRecipients},
	{"ADeletedGroup", aDeletedGroup},

	{"FanoutBeyondTheInlineLimitIsAJobOfSeveralHops", fanoutBeyondTheInlineLimitIsAJobOfSeveralHops},
	{"SyncBeyondTheInlineLimitIsAJob", syncBeyondTheInlineLimitIsAJob},
	{"RangesKeepToTheirPost", rangesKeepToTheirPost},
	{"SweepRunsAJobWhoseEventWasLost", sweepRunsAJobWhoseEventWasLost},

	{"ABlockEndsTheFollow", aBlockEndsTheFollow},
	{"ABlockOfOneself", aBlockOfOneself},
	{"Purge", purge},
	{"AFollowThatComesAfterThePurgeIsRemoved", aFollowThatComesAfterThePurgeIsRemoved},
	{"AuthorFieldsReachPostsAndRelations", authorFieldsReachPostsAndRelations},
	{"TwiceEveryEventOfRefFields", refFieldsReachPosts},
}

// Run runs every story on a machine, each as a subtest.
func Run(t *testing.T, m Machine) {
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			s.tell(t, m)
		})
	}
}
