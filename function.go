// Package relationindex is what `gcloud functions deploy --source=.` builds:
// it registers the functions and holds the files that are deployed beside them.
package relationindex

import (
	_ "embed"

	"example.com/relationindex/functions"
)

func init() { functions.Register(FirestoreIndexes) }

// FirestoreRules is firestore.rules, for the local emulator.
//
//go:embed firestore.rules
var FirestoreRules []byte

// FirestoreIndexes is firestore.indexes.json: what the functions are checked
// against when they start, and the guards on the emulator.
//
//go:embed firestore.indexes.json
var FirestoreIndexes []byte
