// Package coexist compares what an app has with what a deployment brings: indexes and
// rules, which a database has once for everybody.
//
// The app's own come from the database itself, as firebase-tools and the Security Rules
// API print them, or from the files that the app's firebase.json names. [Compare] finds
// indexes of ours that are missing, and field overrides that differ; [Merge] writes a file
// with those of both. [Blocks] and [Diff] do the same for rules. [ReadApp] reads an app's
// files, and [App.Findings] says what its next firebase deploy would undo.
//
// It changes nothing and asks nobody. What it knows of firebase-tools is of version 15:
// src/firestore/api.ts and src/deploy/functions/release/planner.ts.
package coexist
