package rehearsal_test

import (
	"testing"

	"example.com/relationindex/testkit/stories"
	"example.com/relationindex/testkit/uses"
)

// The stories that package functions tells to functions in its own process are
// told here to the processes that production has.
func TestStories(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	stories.Run(t, m)
}

func TestUses(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	uses.Run(t, m)
}

func TestAccountsOfTheAuthEmulator(t *testing.T) {
	t.Parallel()
	m, err := theMachine()
	if err != nil {
		t.Fatal(err)
	}
	stories.RunAccounts(t, m)
}
