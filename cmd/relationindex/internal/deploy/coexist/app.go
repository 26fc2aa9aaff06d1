package coexist

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tidwall/jsonc"
)

// maxFile is the largest file of an app that is read: four times what Firestore takes as rules.
const maxFile = 1 << 20

// App is what an app's firebase.json deploys to a database.
type App struct {
	// RulesFile and IndexesFile are as firebase.json names them; "": it deploys none.
	RulesFile, IndexesFile string
	Rules                  string
	Indexes                *Indexes
	// Functions: it deploys functions.
	Functions bool
	// Target: it names the database by a target of .firebaserc, which is not read.
	Target string
}

// ReadApp reads the firebase.json in a directory, and the files that it names for a
// database. As firebase-tools does, it reads no file outside the directory.
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
	if app.IndexesFile != "" {
		text, err := read(root, app.IndexesFile)
		if err != nil {
			return nil, err
		}
		if app.Indexes, err = ParseIndexes(text); err != nil {
			return nil, fmt.Errorf("%s: %w", app.IndexesFile, err)
		}
	}
	return app, nil
}

// place is an entry of "firestore" in firebase.json.
type place struct{ Database, Target, Rules, Indexes string }

// entryFor returns the entry for a database: the only one, or the one of a list that names
// the database, or else a target.
func entryFor(firestore json.RawMessage, database string) (place, error) {
	var one place
	if len(firestore) == 0 {
		return one, nil
	}
	if firestore[0] != '[' {
		err := json.Unmarshal(firestore, &one)
		if err == nil && one.Database != "" && one.Database != database || err == nil && one.Database == "" && database != "(default)" {
			return place{}, nil // of another database
		}
		return one, wrap(err)
	}
	var all []place
	if err := json.Unmarshal(firestore, &all); err != nil {
		return one, wrap(err)
	}
	for _, p := range all {
		if p.Database == database {
			return p, nil
		}
		if p.Target != "" {
			one = p
		}
	}
	return one, nil
}

func wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("firebase.json, firestore: %w", err)
}

func read(root *os.Root, name string) ([]byte, error) {
	file, err := root.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%w: --app is the directory with the app's firebase.json", err)
		}
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: larger than 1 MiB", name)
	}
	return text, err
}
