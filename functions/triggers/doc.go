// Package triggers is the table of all functions: one row for each, with its name, its
// events, its resources, its account and the method that handles it.
//
// The functions framework registers what the table has, a deployment deploys it, and the
// emulator's broker sends events by it. To add a function, add its method to [Handlers]
// and its row to [All]; CONTRIBUTING.md has the other places. Package functions implements Handlers.
//
// The package calls nothing.
package triggers
