//go:build long

package rehearsal_test

import (
	"testing"

	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/uses"
)

// Package functions tells all stories to functions that share the memory of one process. These two
// need functions that share the database alone: the process that enqueues a job runs none of its hops,
// and the process of follows learns of a purge, and of the account's return, from documents.
func TestStoriesOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	stories.RunNamed(t, m, "FanoutBeyondTheInlineLimitIsAJobOfSeveralHops", "AFollowThatComesAfterThePurgeIsRemoved")
}

// Uses whose functions handle comments, and the settings of readers.
func TestUsesOfSeveralProcesses(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	uses.RunNamed(t, m, "RecruitingNewsfeed", "TimelineWithoutFarmville")
}

// The process of Feed finds the Auth emulator by the variables of its deployment.
func TestFeedProcessVerifiesAuthEmulatorTokens(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	stories.RunAccounts(t, m)
}
