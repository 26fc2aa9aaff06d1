// Package testkit is what the tests of several packages stand on: one emulator
// for a test process, a project of its own for each test, and functions behind
// real triggers for those that ask for them.
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
// The emulator starts when the first test asks for it, so that a run of a test
// that needs none, and a worker of a fuzz run, starts no Java virtual machine.
package testkit
