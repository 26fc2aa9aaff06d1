// Package stories is what the system does for its users, as stories: follow, then
// read the feed; post, then read the feed; delete the account, and nothing is left.
// A story writes documents as clients do, waits until nothing is under way, and
// looks at documents again. It knows neither where the functions run nor how.
//
// Two machines tell the same stories: the tests of package functions, which serve
// the functions in their own process, and those of package rehearsal, which build
// and start them as Google does:
//
//	func stories(t *testing.T, m Machine) { stories.Run(t, machine) }
//
// What needs the inside of the functions, to count calls, hold them, or fail them,
// is no story, and is a test of package functions.
package stories
