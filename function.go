// Package relationindex is what `gcloud functions deploy --source=.` builds:
// it registers the functions and holds the files that are deployed beside them.
package relationindex

import (
	_ "embed"

	// The buildpack looks for this import, in this package alone: it says that init
	// registers the functions. Without it the build wants a Go function here that is
	// named like the entry point, and fails.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex/functions"
)

func init() { functions.Register(FirestoreIndexes) }

// FirestoreRules is firestore.rules, for the local emulator.
//
//go:embed firestore.rules
var FirestoreRules []byte

// FirestoreFeedOnlyRules is firestore.feed-only.rules, which a deployment may have in
// place of FirestoreRules: no client reads relations.
//
//go:embed firestore.feed-only.rules
var FirestoreFeedOnlyRules []byte

// FirestoreIndexes is firestore.indexes.json: what the functions are checked
// against when they start, and the guards on the emulator.
//
//go:embed firestore.indexes.json
var FirestoreIndexes []byte
