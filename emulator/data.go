package emulator

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"example.com/relationindex/emulator/exports"
)

// Export writes all documents of a database to files in dir/name, in the format of Firestore's exports and of
// firebase-tools; dir must exist. [Emulator.Import] reads dir/name/name.overall_export_metadata. database is the id, such as
// "(default)".
func (e *Emulator) Export(ctx context.Context, project, database, dir, name string) error {
	err := e.firestore.do(ctx, http.MethodPost, "/emulator/v1/projects/"+url.PathEscape(project)+":export", map[string]string{
		"database": databaseName(project, database), "export_directory": dir, "export_name": name,
	})
	if err != nil {
		return fmt.Errorf("export of database %s of %s: %w", database, project, err)
	}
	return nil
}

// Import adds the documents of an export to a database. The export may be of any project, but documents of a database with
// another id are ignored. metadata is the absolute path of the file that begins the export. Import checks the files first: the
// emulator (1.19.9) reads nothing of a damaged file, and reports success. The documents may have events: register triggers
// after Import.
func (e *Emulator) Import(ctx context.Context, project, database, metadata string) error {
	if err := exports.Check(metadata); err != nil {
		return fmt.Errorf("import into %s: %w", project, err)
	}
	err := e.firestore.do(ctx, http.MethodPost, "/emulator/v1/projects/"+url.PathEscape(project)+":import", map[string]string{
		"database": databaseName(project, database), "export_directory": metadata,
	})
	if err != nil {
		return fmt.Errorf("import of %s into database %s of %s: %w", metadata, database, project, err)
	}
	return nil
}

func databaseName(project, database string) string {
	return "projects/" + project + "/databases/" + database
}
