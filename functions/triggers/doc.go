// Package triggers is the table of all functions: one row for each, with its name, its
// events, its resources, its account and the method that handles it.
//
// The functions framework registers the functions of the table, a deployment deploys them, and the emulator's broker
// sends their events. To add a function, add its method to [Handlers] and its row to [All]; CONTRIBUTING.md has the
// other places. Package functions implements Handlers.
//
// The package sends no requests.
package triggers
