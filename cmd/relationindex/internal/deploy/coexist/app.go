package coexist

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/tidwall/jsonc"
)

// App has the rules and indexes that an app's firebase.json deploys to a database.
type App struct {
	// RulesFile and IndexesFile are the names in firebase.json; "": the app deploys none.
	RulesFile, IndexesFile string
	Rules                  string
	Indexes                *Indexes
	// Functions: the app deploys functions.
	Functions bool
	// Target is the target that stands for the database; "": none. Only .firebaserc says which database a target
	// is, and ReadApp does not read .firebaserc.
	Target string
}

// ReadApp reads the firebase.json in a directory, and the rules and indexes that the file names
// for a database. Like firebase-tools, ReadApp reads no file outside the directory.
func ReadApp(dir, database string) (*App, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	text, err := read(root, "firebase.json")
	if err != nil {
		return nil, err
	}
	var config struct{ Firestore, Functions json.RawMessage }
	if err := json.Unmarshal(jsonc.ToJSON(text), &config); err != nil {
		return nil, fmt.Errorf("firebase.json: %w", err)
	}
	one, err := entryFor(config.Firestore, database)
	if err != nil {
		return nil, err
	}
	app := &App{RulesFile: one.Rules, IndexesFile: one.Indexes, Target: one.Target, Functions: len(config.Functions) > 0}
	if app.RulesFile != "" {
		rules, err := read(root, app.RulesFile)
		if err != nil {
			return nil, err
		}
		app.Rules = string(rules)
	}
	if app.IndexesFile == "" {
		return app, nil
	}
	if text, err = read(root, app.IndexesFile); err != nil {
		return nil, err
	}
	if app.Indexes, err = ParseIndexes(text); err != nil {
		return nil, fmt.Errorf("%s: %w", app.IndexesFile, err)
	}
	return app, nil
}

// place is an entry of "firestore" in firebase.json.
type place struct{ Database, Target, Rules, Indexes string }

// entryFor returns the entry that names a database, or else the last entry with a target.
// An entry without a database and without a target is for (default).
func entryFor(firestore json.RawMessage, database string) (place, error) {
	if len(firestore) == 0 {
		return place{}, nil
	}
	if firestore[0] != '[' {
		firestore = slices.Concat([]byte("["), firestore, []byte("]"))
	}
	var all []place
	if err := json.Unmarshal(firestore, &all); err != nil {
		return place{}, fmt.Errorf("firebase.json, firestore: %w", err)
	}
	var target place
	for _, p := range all {
		if p.Target != "" {
			target = p
		} else if cmp.Or(p.Database, "(default)") == database {
			return p, nil
		}
	}
	return target, nil
}

func read(root *os.Root, name string) ([]byte, error) {
	text, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: --app is the directory with the app's firebase.json", err)
	}
	return text, err
}
