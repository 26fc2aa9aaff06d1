// Package coexist compares an app's indexes and rules with the indexes and rules of a
// deployment. A database has one set of indexes and rules, which both share.
//
// The app's indexes and rules come from the database, or from the files that the app's
// firebase.json names. firebase-tools prints the indexes of the database, and the Security Rules
// API returns the rules. [Compare] finds our indexes and field overrides that the app lacks, and
// the field overrides that differ. [Merge] returns a file with the indexes of both. For rules,
// [Between] compares the match blocks that [Blocks] finds, and [Diff] compares the lines.
// [ReadApp] reads an app's files, and [App.Findings] describes the effect of the app's next
// firebase deploy.
//
// The package changes nothing and sends no requests. Its facts about firebase-tools are of version 15:
// src/firestore/api.ts and src/deploy/functions/release/planner.ts.
package coexist
