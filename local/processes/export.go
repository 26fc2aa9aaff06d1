package processes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"example.com/relationindex/emulator/exports"
)

// projectsFolder is the folder, in an export, with an export of each project other than the system's own. The accounts of all
// projects are in the export of the system's own project.
const projectsFolder = "projects"

// CheckExportFolder returns an error unless [System.Export] may replace dir: a folder that does not exist, is empty, or
// has an export of this database and nothing else.
func CheckExportFolder(dir, database string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		if info, err := os.Stat(filepath.Dir(filepath.Clean(dir))); err != nil || !info.IsDir() {
			return fmt.Errorf("the parent folder of %s does not exist: create the parent folder first", dir)
		}
		return nil
	case err != nil:
		return err
	case len(entries) > 0 && !slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == exports.MetadataFile }):
		return fmt.Errorf("%s has files, but no %s, so it is not an export; an export would replace these files: choose a new folder", dir, exports.MetadataFile)
	case len(entries) == 0:
		return nil
	}
	for _, e := range entries { // files of firebase-tools, such as storage_export, or the user's own
		if !slices.Contains([]string{exports.MetadataFile, exports.FirestoreFolder, exports.AuthFolder, projectsFolder}, e.Name()) {
			return fmt.Errorf("%s contains %s, which is not part of an export of dev; an export would delete it: choose a new folder", dir, e.Name())
		}
	}
	return CheckImportFolder(dir, database)
}

// CheckImportFolder returns an error unless dir looks like an export of a database.
func CheckImportFolder(dir, database string) error {
	_, err := exports.Read(dir, database)
	return err
}

// Export writes all documents and accounts to the folder dir. It replaces dir when the new export is complete. A crash
// leaves the old export in dir, or for a moment beside dir, in a folder whose name begins with that of dir and ends
// with ".old".
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
	for _, id := range s.projects.ids() {
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
			return errors.Join(err, fmt.Errorf("the earlier export is now at %s: %w", old, back))
		}
		return err
	}
	return os.RemoveAll(old)
}

// exportProject writes the export of a project to a folder, which it creates.
func (s *System) exportProject(ctx context.Context, id, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := s.emulator.Export(ctx, id, s.cfg.DatabaseID(), dir, exports.FirestoreFolder); err != nil {
		return err
	}
	accounts := s.auth != nil && id == s.cfg.Project // the accounts of all projects
	if accounts {
		folder := filepath.Join(dir, exports.AuthFolder)
		if err := os.Mkdir(folder, 0o700); err != nil {
			return err
		}
		if err := s.auth.Export(ctx, id, folder); err != nil {
			return err
		}
	}
	return exports.Write(dir, s.cfg.DatabaseID(), accounts)
}

// importAll reads the folder of Options.Import, if there is one. No trigger is registered yet.
func (s *System) importAll(ctx context.Context) error {
	if s.options.Import == "" {
		return nil
	}
	dir, err := filepath.Abs(s.options.Import)
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
	about, err := exports.Read(dir, s.cfg.DatabaseID())
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
	if s.auth == nil { // the next export would leave out the accounts
		return errors.Join(fmt.Errorf("%s has accounts, but no Auth emulator runs", dir), s.noAuth)
	}
	return s.auth.Import(ctx, id, filepath.Join(dir, filepath.FromSlash(about.Auth.Path)))
}
