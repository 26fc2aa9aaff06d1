// Package exports reads and writes the folder of `firebase emulators:export`, for firebase-tools and this module:
//
//	firebase-export-metadata.json
//	firestore_export/firestore_export.overall_export_metadata   and more, which the Firestore emulator writes
//	auth_export/accounts.json, config.json                      which package auth writes
//
// A folder has the data of one project. You can import its documents and accounts into any project.
package exports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The names in a folder.
const (
	MetadataFile    = "firebase-export-metadata.json"
	FirestoreFolder = "firestore_export"
	AuthFolder      = "auth_export"
)

// MetadataExtension ends the name of the file that begins an export of Firestore.
const MetadataExtension = ".overall_export_metadata"

const (
	defaultDatabase = "(default)"
	version         = "relationindex" // firebase-tools writes its own version here, and reads any
)

// Metadata is firebase-export-metadata.json.
type Metadata struct {
	Version   string `json:"version"`
	Firestore *Files `json:"firestore,omitempty"`
	Auth      *Files `json:"auth,omitempty"`
}

// Files names the files of one emulator.
type Files struct {
	Version      string `json:"version"`
	Path         string `json:"path"`
	MetadataFile string `json:"metadata_file,omitempty"` // of Firestore, with its path
	Database     string `json:"database,omitempty"`      // of Firestore, unless it is (default); firebase-tools has no such field
}

// Write writes the metadata of an export to dir: for the documents of a database, and with accounts also for accounts.
func Write(dir, database string, accounts bool) error {
	m := Metadata{Version: version, Firestore: &Files{
		Version: version, Path: FirestoreFolder, MetadataFile: FirestoreFolder + "/" + FirestoreFolder + MetadataExtension,
	}}
	if database != defaultDatabase {
		m.Firestore.Database = database
	}
	if accounts {
		m.Auth = &Files{Version: version, Path: AuthFolder}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, MetadataFile), text, 0o600)
}

// Read reads the metadata of dir. All its paths are below dir. Read returns an error if dir has the documents of another
// database.
func Read(dir, database string) (m Metadata, err error) {
	file := filepath.Join(dir, MetadataFile)
	text, err := os.ReadFile(file)
	if err != nil {
		return m, fmt.Errorf("%s is not an export of dev or of firebase emulators:export: %w", dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	var paths []string
	if m.Firestore != nil {
		paths = append(paths, m.Firestore.MetadataFile)
		if its := cmp.Or(m.Firestore.Database, defaultDatabase); its != database {
			return m, fmt.Errorf("%s has documents of the database %.100q, but this process uses the database %s: set RELATIONINDEX_DATABASE to the database of the export", dir, its, database)
		}
	}
	if m.Auth != nil {
		paths = append(paths, m.Auth.Path)
	}
	if len(paths) == 0 {
		return m, fmt.Errorf("%s: the export has neither Firestore nor Auth data", file)
	}
	for _, path := range paths {
		if !filepath.IsLocal(filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))) {
			return m, fmt.Errorf("%s: path %.200q: must be below the folder", file, path)
		}
	}
	return m, nil
}
