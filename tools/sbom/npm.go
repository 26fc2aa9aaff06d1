package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// lockFile names every npm package.
const lockFile = "web/package-lock.json"

// npm lists the packages of the lock file, those for development with the scope
// "optional". It fails if package.json asks for others.
//
// Not `--omit dev`: that leaves out every package that some development package
// needs too (https://github.com/npm/cli/issues/7909), which is all of them.
func npm(root string) (*cdx.BOM, error) {
	cmd := exec.Command("npm", "sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application")
	cmd.Dir = filepath.Join(root, filepath.Dir(lockFile))
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("npm sbom: %w\n%s%s", err, failure.Bytes(), out)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(out), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return nil, fmt.Errorf("npm sbom: %w", err)
	}
	return &bom, nil
}

// checkLock fails unless every package of the lock file comes from the registry, by
// name and version, and with a hash that npm compares. With
// omit-lockfile-registry-resolved, which web/.npmrc sets, npm notes where a
// package comes from only if that is not the registry.
func checkLock(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var lock struct {
		LockfileVersion int
		Packages        map[string]struct {
			Version, Resolved, Integrity string
			Link                         bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var wrong []error
	if lock.LockfileVersion != 3 {
		wrong = append(wrong, fmt.Errorf("%s: lockfileVersion is %d; want 3", path, lock.LockfileVersion))
	}
	for _, name := range sortedKeys(lock.Packages) {
		p := lock.Packages[name]
		report := func(what string) { wrong = append(wrong, fmt.Errorf("%s: %s %s", path, name, what)) }
		switch {
		case name == "": // this package
		case p.Link || p.Resolved != "":
			report(fmt.Sprintf("comes from %q, not from the registry", p.Resolved))
		case p.Version == "":
			report("has no version")
		case !strings.HasPrefix(p.Integrity, "sha512-"):
			report(fmt.Sprintf("has the integrity %q; want sha512-…", p.Integrity))
		}
	}
	return errors.Join(wrong...)
}
