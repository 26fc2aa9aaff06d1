package processes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/emulator"
)

// The names in a folder of `firebase emulators:export`, which dev reads and writes. The accounts, and the documents of the
// system's own project, are where firebase-tools has them. Each other project is a folder of the same kind below projects.
const (
	exportMetadata  = "firebase-export-metadata.json"
	firestoreExport = "firestore_export"
	authExport      = "auth_export"
	projectsFolder  = "projects"

	exportVersion = "relationindex"
)

// exported is firebase-export-metadata.json.
type exported struct {
	Version   string         `json:"version"`
	Firestore *exportedFiles `json:"firestore,omitempty"`
	Auth      *exportedFiles `json:"auth,omitempty"`
}

type exportedFiles struct {
	Version      string `json:"version"`
	Path         string `json:"path"`
	MetadataFile string `json:"metadata_file,omitempty"` // of Firestore, with the path
	Database     string `json:"database,omitempty"`      // of Firestore, unless it is (default); firebase-tools has no such field
}

// isOf returns an error unless the export has the documents of a database.
func (e exported) isOf(dir, database string) error {
	if e.Firestore == nil {
		return nil
	}
	if its := cmp.Or(e.Firestore.Database, firestore.DefaultDatabaseID); its != database {
		return fmt.Errorf("%s has the documents of the database %.100q, and this is %s: RELATIONINDEX_DATABASE says which", dir, its, database)
	}
	return nil
}

// CheckExportFolder returns an error unless [System.Export] may write to dir, which it replaces: a folder that is not there,
// is empty, or has an export of this database and nothing else.
func CheckExportFolder(dir, database string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(filepath.Clean(dir))); err != nil || !info.IsDir() {
			return fmt.Errorf("the folder above %s is not there: make it first", dir)
		}
		return nil
	case err != nil:
		return err
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == exportMetadata }):
		return fmt.Errorf("%s has other files, and no %s: an export would replace them, so choose a new folder", dir, exportMetadata)
	case len(entries) == 0:
		return nil
	}
	for _, e := range entries { // of firebase-tools, such as storage_export, or somebody's own
		if !slices.Contains([]string{exportMetadata, firestoreExport, authExport, projectsFolder}, e.Name()) {
			return fmt.Errorf("%s has %s, which an export of dev would not have, and would delete: choose a new folder", dir, e.Name())
		}
	}
	about, err := readExported(dir)
	if err != nil {
		return err
	}
	return about.isOf(dir, database)
}

// CheckImportFolder returns an error unless dir looks like an export of a database.
func CheckImportFolder(dir, database string) error {
	about, err := readExported(dir)
	if err != nil {
		return err
	}
	return about.isOf(dir, database)
}

// Export writes all documents and accounts to the folder dir, which it replaces when the new export is complete. A crash
// leaves the old export, or for a moment beside dir, as its name with ".old" says.
func (s *System) Export(ctx context.Context, dir string) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if err := CheckExportFolder(dir, s.cfg.DatabaseID()); err != nil {
		return err
	}
	beside, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(beside))
		}
	}()
	for _, id := range s.projects.idsOrNone() {
		if err := s.exportProject(ctx, id, filepath.Join(beside, projectsFolder, id)); err != nil {
			return err
		}
	}
	if err := s.exportProject(ctx, s.cfg.Project, beside); err != nil {
		return err
	}
	old := beside + ".old"
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.Rename(beside, dir); err != nil {
		if back := os.Rename(old, dir); back != nil && !errors.Is(back, os.ErrNotExist) {
			return errors.Join(err, fmt.Errorf("the export of before is %s: %w", old, back))
		}
		return err
	}
	return os.RemoveAll(old)
}

// exportProject writes the export of a project to a folder that it makes.
func (s *System) exportProject(ctx context.Context, id, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	about := exported{Version: exportVersion, Firestore: &exportedFiles{
		Version: exportVersion, Path: firestoreExport, MetadataFile: firestoreExport + "/" + firestoreExport + emulator.MetadataExtension,
	}}
	if database := s.cfg.DatabaseID(); database != firestore.DefaultDatabaseID {
		about.Firestore.Database = database
	}
	if err := s.emulator.Export(ctx, id, s.cfg.DatabaseID(), dir, firestoreExport); err != nil {
		return err
	}
	if s.auth != nil && id == s.cfg.Project { // which has the accounts of all
		about.Auth = &exportedFiles{Version: exportVersion, Path: authExport}
		accounts := filepath.Join(dir, authExport)
		if err := os.Mkdir(accounts, 0o700); err != nil {
			return err
		}
		if err := s.auth.Export(ctx, id, accounts); err != nil {
			return err
		}
	}
	text, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, exportMetadata), text, 0o600)
}

// importAll reads a folder that Export or firebase-tools has written. No trigger is registered yet.
func (s *System) importAll(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := s.importProject(ctx, s.cfg.Project, dir); err != nil {
		return fmt.Errorf("import: %w", err)
	}
	others, err := os.ReadDir(filepath.Join(dir, projectsFolder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, other := range others {
		if s.projects == nil || !hasTriggers(other.Name()) {
			return fmt.Errorf("import: %s: its name must be a project id that begins with %s, and --only-project must not be set", filepath.Join(dir, projectsFolder, other.Name()), demoPrefix)
		}
		if err := s.importProject(ctx, other.Name(), filepath.Join(dir, projectsFolder, other.Name())); err != nil {
			return fmt.Errorf("import: %w", err)
		}
		s.imported = append(s.imported, other.Name())
	}
	return nil
}

func (s *System) importProject(ctx context.Context, id, dir string) error {
	about, err := readExported(dir)
	if err == nil {
		err = about.isOf(dir, s.cfg.DatabaseID())
	}
	if err != nil {
		return err
	}
	if about.Firestore != nil {
		metadata := filepath.Join(dir, filepath.FromSlash(about.Firestore.MetadataFile))
		if err := s.emulator.Import(ctx, id, s.cfg.DatabaseID(), metadata); err != nil {
			return err
		}
	}
	if about.Auth == nil {
		return nil
	}
	if s.auth == nil { // an export would have none of them
		return errors.Join(fmt.Errorf("%s has accounts, and there is no Auth emulator", dir), s.noAuth)
	}
	return s.auth.Import(ctx, id, filepath.Join(dir, filepath.FromSlash(about.Auth.Path)))
}

// readExported reads the metadata of an export, whose paths are all below dir.
func readExported(dir string) (about exported, err error) {
	file := filepath.Join(dir, exportMetadata)
	text, err := os.ReadFile(file) //nolint:gosec // the user chooses the export
	if err != nil {
		return about, fmt.Errorf("%s is no export of dev or of firebase emulators:export: %w", dir, err)
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return about, fmt.Errorf("%s: %w", file, err)
	}
	var paths []string
	if about.Firestore != nil {
		paths = append(paths, about.Firestore.MetadataFile)
	}
	if about.Auth != nil {
		paths = append(paths, about.Auth.Path)
	}
	for _, path := range paths {
		if !filepath.IsLocal(filepath.FromSlash(strings.ReplaceAll(path, `\`, "/"))) {
			return about, fmt.Errorf("%s: path %.200q: must be below the folder", file, path)
		}
	}
	if len(paths) == 0 {
		return about, fmt.Errorf("%s: neither Firestore nor Auth is in it", file)
	}
	return about, nil
}
