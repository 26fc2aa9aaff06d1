// Package stories tests what the system does for its users, as stories: follow, then read the feed;
// post, then read the feed; delete the account, and nothing is left. A story writes documents as
// clients do, waits until nothing is under way, and checks documents. A story does not depend on where
// or how the functions run.
//
// The tests of package functions run all stories, with the functions in their own process. Package
// rehearsal builds and starts the functions as Google does, and runs some of the stories:
//
//	func stories(t *testing.T, m Machine) { stories.Run(t, machine) }
//
// A test that counts, holds or fails the functions' calls is no story, and belongs in package
// functions.
package stories
