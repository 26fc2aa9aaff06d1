// Package operate has the commands on the index of one database: verify, repair,
// trace and purge, import, which fills it, and feed, which reads it as a client
// does. Each says on standard error which database it works on.
//
// What verify checks and how repair mends is in package relations, what import
// writes in package importer. Jobs have a package of their own.
package operate
