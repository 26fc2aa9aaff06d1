// Package relationindex is what `gcloud functions deploy --source=.` builds:
// it registers the functions and holds the files that are deployed beside them.
package relationindex

import (
	_ "embed"

	_ "example.com/relationindex/functions" // registers every function
)

// FirestoreRules is firestore.rules, for the local emulator.
//
//go:embed firestore.rules
var FirestoreRules []byte
