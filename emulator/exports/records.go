package exports

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// ErrDamaged means that the files of an export have changed since the export.
var ErrDamaged = errors.New("the export is damaged")

// partName matches, in the first file of an export, the paths of the files that describe its parts.
var partName = regexp.MustCompile(`all_namespaces/[ -~]+?\.export_metadata`)

// Check returns an error that wraps ErrDamaged unless all files of an export of Firestore are there, and their checksums
// are right. metadata is the file that begins the export.
func Check(metadata string) error {
	text, err := checkRecords(metadata)
	if err != nil {
		return err
	}
	for _, name := range partName.FindAllString(string(text), -1) {
		part := filepath.Join(filepath.Dir(metadata), filepath.FromSlash(name))
		if _, err := os.Stat(part); err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		files, err := os.ReadDir(filepath.Dir(part))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		outputs := 0
		for _, file := range files {
			if !strings.HasPrefix(file.Name(), "output-") {
				continue
			}
			outputs++
			if _, err := checkRecords(filepath.Join(filepath.Dir(part), file.Name())); err != nil {
				return err
			}
		}
		if outputs == 0 {
			return fmt.Errorf("%w: no files output-* in %s", ErrDamaged, filepath.Dir(part))
		}
	}
	return nil
}

// The files are logs of LevelDB: blocks of records. Source:
// https://github.com/google/leveldb/blob/main/doc/log_format.md
const (
	blockBytes  = 32 << 10
	headerBytes = 7 // checksum 4, length 2, type 1; little-endian
	maskDelta   = 0xa282ead8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// checkRecords returns a file, if all its records have the right checksum.
func checkRecords(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for at := 0; at < len(text); {
		left := min(blockBytes-at%blockBytes, len(text)-at) // in this block
		if left < headerBytes {
			if strings.Trim(string(text[at:at+left]), "\x00") != "" {
				return nil, fmt.Errorf("%w: %s is cut at byte %d", ErrDamaged, path, at)
			}
			at += left
			continue
		}
		sum, length := binary.LittleEndian.Uint32(text[at:]), int(binary.LittleEndian.Uint16(text[at+4:]))
		if sum == 0 && length == 0 && text[at+6] == 0 {
			at += left // the rest of the block is unused
			continue
		}
		if headerBytes+length > left || sum != masked(crc32.Checksum(text[at+6:at+headerBytes+length], castagnoli)) {
			return nil, fmt.Errorf("%w: %s has a wrong record at byte %d", ErrDamaged, path, at)
		}
		at += headerBytes + length
	}
	return text, nil
}

// masked returns a checksum as a log stores it.
func masked(sum uint32) uint32 { return (sum>>15 | sum<<17) + maskDelta }
