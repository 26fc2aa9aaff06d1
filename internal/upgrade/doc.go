// Package upgrade holds tests of two releases at work on one database: this one,
// and the one before it, which is built from a kept commit. It shows that each
// finishes what the other has left half-done, after an upgrade and after a
// rollback, and that both can share the events while one replaces the other.
//
// With a release that is deployed, [Previous] becomes its commit: jobs that
// it leaves are those that an upgrade meets.
package upgrade

// Previous is the commit of the release before this one.
const Previous = "dca0680628039b053d5b3243852a4c349231c226"
