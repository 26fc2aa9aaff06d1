// Command sbom lists everything that the project is made of, with licences:
//
//	sbom -root .. -licenses sbom/licenses.txt             check the licences and web/package-lock.json; print what is wrong
//	sbom -root .. -licenses sbom/licenses.txt -list       print every component and its licence too
//	sbom -root .. -out ../sbom                            write the lists, in CycloneDX 1.5, one file for each part
//
// It needs no network: Go modules come from the module cache, npm packages from
// the lock file.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	var o options
	flag.StringVar(&o.root, "root", "..", "folder of the project")
	flag.StringVar(&o.out, "out", "", "folder to write the lists to")
	flag.StringVar(&o.licenses, "licenses", "", "file of allowed licences to check against")
	flag.BoolVar(&o.list, "list", false, "print every component")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type options struct {
	root, out, licenses string
	list                bool
}

// part is one list: something that is built or installed as a whole.
type part struct {
	name string // of its file, less .cdx.json
	bom  *cdx.BOM
}

func run(o options) error {
	parts, err := inventory(o.root)
	if err != nil {
		return err
	}
	var wrong []error
	for _, p := range parts {
		text, err := encode(p.bom)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := validate(text); err != nil {
			return fmt.Errorf("%s is not CycloneDX: %w", p.name, err)
		}
		if o.out != "" {
			if err := write(filepath.Join(o.out, p.name+".cdx.json"), text); err != nil {
				return err
			}
		}
		if o.list {
			list(os.Stdout, p)
		}
	}
	if o.licenses != "" {
		wrong = append(wrong, checkLicenses(o.licenses, parts))
	}
	wrong = append(wrong, checkLock(filepath.Join(o.root, lockFile)))
	return errors.Join(wrong...)
}

// inventory is the whole project: what is deployed, the command line, what only
// tests and benchmarks link, and the npm packages.
func inventory(root string) ([]part, error) {
	modules, err := newModules(root)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, p := range []struct {
		name  string
		tests bool
		of    []string
	}{
		// The buildpack's main imports the package at the root, and this.
		{"functions", false, []string{".", "github.com/GoogleCloudPlatform/functions-framework-go/funcframework"}},
		{"relationindex", false, []string{"./cmd/relationindex"}},
		{"tests", true, []string{"./..."}},
	} {
		bom, err := modules.linked(p.name, p.tests, p.of...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		parts = append(parts, part{p.name, bom})
	}
	web, err := npm(root)
	if err != nil {
		return nil, err
	}
	return append(parts, part{"web", web}), nil
}

// encode writes a list as the version of CycloneDX that npm writes too.
func encode(bom *cdx.BOM) ([]byte, error) {
	var out bytes.Buffer
	err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_5)
	return out.Bytes(), err
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}
