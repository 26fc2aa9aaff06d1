package rehearsal

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
)

// parsed has what the buildpack reads from the Go files of a directory.
type parsed struct {
	name    string
	imports map[string]bool
}

// parsePackage reads the package in dir. It includes test files, as the buildpack does: an external
// test at the root would be a second package.
func parsePackage(dir string) (parsed, error) {
	p := parsed{imports: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return p, err
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return p, err
		}
		if p.name != "" && p.name != f.Name.Name {
			return p, fmt.Errorf("two packages in one folder: %s and %s", p.name, f.Name.Name)
		}
		p.name = f.Name.Name
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return p, err
			}
			p.imports[path] = true
		}
	}
	if p.name == "" {
		return p, errors.New("no Go files")
	}
	return p, nil
}
