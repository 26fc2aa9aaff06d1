// Package uses runs the uses of docs/uses that need a whole app: a recruiting newsfeed, sites and
// their followers, a social inbox, and a timeline without a game's posts. As in package stories, a
// story writes what clients write, waits until nothing is under way, and checks documents and feeds.
// Each story sets the variables of its page in docs/uses.
//
//	func TestUses(t *testing.T) { uses.Run(t, machine) }
package uses
