// Package uses tells the uses of docs/uses that are a whole app's: a recruiting newsfeed, sites and
// their followers, a social inbox, and a timeline without the posts of a game. As in package stories,
// a story writes what clients write, waits until nothing is under way, and looks at documents and
// feeds. It sets the variables that its page names.
//
//	func TestUses(t *testing.T) { uses.Run(t, machine) }
package uses
