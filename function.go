// Package relationindex is what `gcloud functions deploy --source=.` builds:
// it registers the functions and holds the files that are deployed beside them.
package relationindex

import (
	_ "embed"

	// The buildpack requires this import, in this package: it means that init registers
	// the functions. Without it, the build requires a Go function here with the name of
	// the entry point, and fails.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex/functions"
)

func init() { functions.Register(FirestoreIndexes) }

// FirestoreRules is firestore.rules, for the local emulator.
//
//go:embed firestore.rules
var FirestoreRules []byte

// FirestoreFeedOnlyRules is firestore.feed-only.rules, which a deployment may use in
// place of FirestoreRules: no client reads relations.
//
//go:embed firestore.feed-only.rules
var FirestoreFeedOnlyRules []byte

// FirestoreIndexes is firestore.indexes.json. The functions are checked against it when
// they start. The guards on the emulator use it too.
//
//go:embed firestore.indexes.json
var FirestoreIndexes []byte
