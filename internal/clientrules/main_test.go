package clientrules

import (
	"context"
	"fmt"
	"os"
	"testing"

	"example.com/relationindex/emulator"
)

// The files under test, from this directory.
const (
	rulesFile    = "../../firestore.rules"
	indexesFile  = "../../firestore.indexes.json"
	firebaseFile = "../../firebase.json"
)

// firestoreHost is the address of the emulator that enforces rulesFile.
var firestoreHost string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

// run is TestMain with a return, so that the emulator is closed before the process exits.
func run(m *testing.M) int {
	e, err := emulator.Start(context.Background(), emulator.Options{RulesFile: rulesFile})
	if err != nil {
		fmt.Fprintln(os.Stderr, "clientrules: start the emulator:", err)
		return 1
	}
	defer e.Close()
	firestoreHost = e.FirestoreHost()
	return m.Run()
}
