package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-licenses/v2/licenses"
)

// modules finds Go modules and their licences.
type modules struct {
	root       string
	classifier licenses.Classifier
	known      map[string]string // file: its licences, or "" if it is no licence
}

func newModules(root string) (*modules, error) {
	classifier, err := licenses.NewClassifier()
	if err != nil {
		return nil, fmt.Errorf("licence texts: %w", err)
	}
	return &modules{root: root, classifier: classifier, known: map[string]string{}}, nil
}

// goPackage is a package as `go list -json` describes it.
type goPackage struct {
	ImportPath, Dir string
	Imports         []string
	Standard        bool
	ForTest         string
	Module          *struct {
		Path, Version, Dir string
		Main               bool
		Replace            *struct{ Path, Version string }
	}
}

// linked lists the modules that some packages link, and their tests if wanted. The
// standard library and this module are not in it.
func (m *modules) linked(name string, tests bool, patterns ...string) (*cdx.BOM, error) {
	packages, err := m.packages(tests, patterns)
	if err != nil {
		return nil, err
	}
	components := map[string]*cdx.Component{} // by bom-ref
	bare := map[string]bool{}                 // bom-refs of modules with a package that no licence covers
	module := map[string]string{}             // import path: bom-ref of its module
	for _, p := range packages {
		if p.Standard || p.Module == nil {
			continue
		}
		if p.Module.Main {
			module[p.ImportPath] = name
			continue
		}
		path, version := p.Module.Path, p.Module.Version
		if p.Module.Replace != nil {
			path, version = p.Module.Replace.Path, p.Module.Replace.Version
		}
		ref := "pkg:golang/" + path + "@" + version
		module[p.ImportPath] = ref
		c := components[ref]
		if c == nil {
			c = &cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: ref}
			if tests {
				c.Scope = cdx.ScopeOptional
			}
			components[ref] = c
		}
		license, file, err := m.license(p.Dir, p.Module.Dir)
		if err != nil {
			return nil, err
		}
		addLicense(c, license, file)
		bare[ref] = bare[ref] || license == ""
	}
	for ref := range bare {
		if bare[ref] {
			components[ref].Licenses = nil
		}
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name}}
	bom.Components = &[]cdx.Component{}
	for _, ref := range sortedKeys(components) {
		*bom.Components = append(*bom.Components, *components[ref])
	}
	bom.Dependencies = graph(packages, module)
	return bom, nil
}

// packages are those that the patterns need, from `go list`.
func (m *modules) packages(tests bool, patterns []string) ([]goPackage, error) {
	args := []string{"list", "-deps", "-json=ImportPath,Dir,Imports,Standard,ForTest,Module"}
	if tests {
		args = append(args, "-test")
	}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = m.root
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w\n%s", strings.Join(patterns, " "), err, failure.Bytes())
	}
	var all []goPackage
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		// The test variant of p is "p [p.test]", the test's main "p.test".
		p.ImportPath, _, _ = strings.Cut(p.ImportPath, " ")
		if p.ForTest == "" && strings.HasSuffix(p.ImportPath, ".test") {
			continue
		}
		all = append(all, p)
	}
}

// license is what covers a package: the nearest file with the text of a licence, from
// its folder up to that of its module. Without one both are empty.
func (m *modules) license(dir, moduleDir string) (names, file string, err error) {
	candidates, err := licenses.FindCandidates(dir, moduleDir)
	if err != nil {
		return "", "", err
	}
	for _, path := range candidates {
		names, ok := m.known[path]
		if !ok {
			found, err := m.classifier.Identify(path)
			if err != nil {
				return "", "", fmt.Errorf("%s: %w", path, err)
			}
			var each []string
			for _, l := range found {
				each = append(each, l.Name)
			}
			slices.Sort(each)
			names = strings.Join(each, " AND ")
			m.known[path] = names
		}
		if names != "" {
			file, err := filepath.Rel(moduleDir, path)
			return names, file, err
		}
	}
	return "", "", nil
}

// graph says which module needs which, by the imports of its packages.
func graph(packages []goPackage, module map[string]string) *[]cdx.Dependency {
	needs := map[string]map[string]bool{}
	for _, p := range packages {
		from := module[p.ImportPath]
		if from == "" {
			continue
		}
		if needs[from] == nil {
			needs[from] = map[string]bool{}
		}
		for _, path := range p.Imports {
			path, _, _ = strings.Cut(path, " ")
			if to := module[path]; to != "" && to != from {
				needs[from][to] = true
			}
		}
	}
	all := []cdx.Dependency{}
	for _, from := range sortedKeys(needs) {
		to := sortedKeys(needs[from])
		all = append(all, cdx.Dependency{Ref: from, Dependencies: &to})
	}
	return &all
}
