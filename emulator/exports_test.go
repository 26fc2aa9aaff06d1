package emulator

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"path/filepath"
	"strings"
	"testing"

	"example.com/relationindex/emulator/exports"
)

// An export written for firebase-tools is readable, with a database for which the format has no field.
func TestExportMetadata(t *testing.T) {
	for _, database := range []string{"(default)", "blue"} {
		dir := t.TempDir()
		if err := exports.Write(dir, database, true); err != nil {
			t.Fatal(err)
		}
		m, err := exports.Read(dir, database)
		if err != nil || m.Firestore.MetadataFile != "firestore_export/firestore_export.overall_export_metadata" || m.Auth.Path != "auth_export" {
			t.Errorf("%s: %+v, %v", database, m, err)
		}
		if _, err := exports.Read(dir, "green"); err == nil || !strings.Contains(err.Error(), database) {
			t.Errorf("as another database it has %v", err)
		}
	}
	theirs := t.TempDir()
	place(t, `{"version":"15.34.2","firestore":{"version":"1.19.9","path":"firestore_export","metadata_file":"firestore_export/f"},"storage":{"path":"s"}}`, theirs, exports.MetadataFile)
	if m, err := exports.Read(theirs, "(default)"); err != nil || m.Firestore.MetadataFile != "firestore_export/f" || m.Auth != nil {
		t.Errorf("of firebase-tools: %+v, %v", m, err)
	}
}

// record is a block of a log with a text.
func record(text string) string {
	body := append([]byte{1}, text...)
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)) // masked, as LevelDB stores it
	head := binary.LittleEndian.AppendUint32(nil, (sum>>15|sum<<17)+0xa282ead8)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text))) //nolint:gosec // short
	return string(append(head, body...))
}

func TestCheckFindsDamagedExport(t *testing.T) {
	const part = "all_namespaces/all_kinds/all.export_metadata"
	good := map[string]string{"f.overall_export_metadata": record(part), part: "", "all_namespaces/all_kinds/output-0": record("documents")}
	for name, damage := range map[string]func(files map[string]string){
		"":               func(map[string]string) {},
		"is cut at byte": func(files map[string]string) { files["all_namespaces/all_kinds/output-0"] = "abc" },
		"has a wrong record": func(files map[string]string) {
			files["all_namespaces/all_kinds/output-0"] = record("documents")[:10] + "x"
		},
		"no such file":      func(files map[string]string) { delete(files, part) },
		"no files output-*": func(files map[string]string) { delete(files, "all_namespaces/all_kinds/output-0") },
	} {
		dir, files := t.TempDir(), map[string]string{}
		for path, text := range good {
			files[path] = text
		}
		damage(files)
		for path, text := range files {
			place(t, text, dir, path)
		}
		err := exports.Check(filepath.Join(dir, "f.overall_export_metadata"))
		switch {
		case name == "" && err != nil:
			t.Error(err)
		case name != "" && (!errors.Is(err, exports.ErrDamaged) || !strings.Contains(err.Error(), name)):
			t.Errorf("%v, want that it %s", err, name)
		}
	}
}
