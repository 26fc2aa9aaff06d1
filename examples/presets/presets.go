// Package presets holds configurations to start from: files that an app copies as its relationindex.env.
package presets

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed *.env
var files embed.FS

// Names are the names of the presets.
var Names = []string{"small", "popular", "inbox"}

// Read returns the text of a preset's file.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(name + ".env")
	if err != nil {
		return nil, fmt.Errorf("preset %q: must be one of %s", name, strings.Join(Names, ", "))
	}
	return text, nil
}
