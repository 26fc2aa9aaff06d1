// Package testkit has what the tests of several packages share: one emulator for a test process, a
// project for each test, and functions behind real triggers for tests that request them.
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		a := testkit.NewApp(t, schema.Config{Capacity: 2})
//		a.Follow("bob", "ada")
//		a.Settle()
//		a.WantFeed("bob")
//	}
//
// The emulator starts at the first request for it. A run without such a test, or a worker of a fuzz
// run, starts no Java virtual machine.
package testkit
