package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// fileProperty names, in a component, a file that its licence was read from.
const fileProperty = "relationindex:licence-file"

// addLicense adds a licence to a component, and the file that says so. A component
// whose packages have several licences is under all of them.
func addLicense(c *cdx.Component, expression, file string) {
	if expression == "" {
		return
	}
	if c.Properties == nil {
		c.Properties = &[]cdx.Property{}
	}
	property := cdx.Property{Name: fileProperty, Value: file}
	if slices.Contains(*c.Properties, property) {
		return
	}
	*c.Properties = append(*c.Properties, property)
	all := map[string]bool{}
	for _, e := range append(strings.Split(licenseOf(*c), " AND "), strings.Split(expression, " AND ")...) {
		all[e] = true
	}
	delete(all, "")
	names := sortedKeys(all)
	if len(names) == 1 {
		c.Licenses = &cdx.Licenses{{License: &cdx.License{ID: names[0]}}}
		return
	}
	c.Licenses = &cdx.Licenses{{Expression: strings.Join(names, " AND ")}}
}

// licenseOf is the licence of a component as an SPDX expression, "" if it has none.
func licenseOf(c cdx.Component) string {
	if c.Licenses == nil {
		return ""
	}
	var all []string
	for _, l := range *c.Licenses {
		if l.License != nil {
			all = append(all, cmp.Or(l.License.ID, l.License.Name))
		} else {
			all = append(all, l.Expression)
		}
	}
	return strings.Join(all, " AND ")
}

// where is what a component's licence was read from.
func where(c cdx.Component) string {
	if strings.HasPrefix(c.PackageURL, "pkg:npm/") {
		return lockFile
	}
	var files []string
	if c.Properties != nil {
		for _, p := range *c.Properties {
			if p.Name == fileProperty {
				files = append(files, p.Value)
			}
		}
	}
	return cmp.Or(strings.Join(files, ", "), "no LICENSE, COPYING, NOTICE or README with the text of one")
}

// list prints the components of a part, a line each.
func list(w io.Writer, p part) {
	fmt.Fprintf(w, "# %s\n", p.name)
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range *p.bom.Components {
		fmt.Fprintf(columns, "%s@%s\t%s\t%s\n", c.Name, c.Version, cmp.Or(licenseOf(c), "-"), where(c))
	}
	_ = columns.Flush() // to a terminal, as above
}

// allowed is the file of licences that may be there, and of components that were
// looked at one by one.
type allowed struct {
	licenses   map[string]bool   // by SPDX id
	components map[string]string // package URL with version: the licence that a person found
}

func readAllowed(path string) (*allowed, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	a := &allowed{map[string]bool{}, map[string]string{}}
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		switch words := strings.Fields(text); {
		case len(words) == 0:
		case len(words) == 1 && !strings.HasPrefix(words[0], "pkg:"):
			a.licenses[words[0]] = true
		case len(words) == 2 && strings.HasPrefix(words[0], "pkg:"):
			a.components[words[0]] = words[1]
		default:
			return nil, fmt.Errorf("%s:%d: want an SPDX id, or a package URL and an SPDX id", path, n)
		}
	}
	return a, lines.Err()
}

// permits says whether a licence expression may be there: all that AND joins, or one
// that OR joins. Both in one expression want a person to look.
func (a *allowed) permits(expression string) bool {
	expression = strings.TrimSuffix(strings.TrimPrefix(expression, "("), ")")
	either := strings.Split(expression, " OR ")
	if len(either) > 1 {
		return !strings.Contains(expression, " AND ") && slices.ContainsFunc(either, func(e string) bool { return a.licenses[e] })
	}
	for e := range strings.SplitSeq(expression, " AND ") {
		if !a.licenses[e] {
			return false
		}
	}
	return true
}

// checkLicenses fails for each component whose licence is unknown or not allowed, and
// for each exception that no component needs any longer.
func checkLicenses(path string, parts []part) error {
	a, err := readAllowed(path)
	if err != nil {
		return err
	}
	wrong := map[string]error{}
	used := map[string]bool{}
	for _, p := range parts {
		for _, c := range *p.bom.Components {
			license := licenseOf(c)
			if a.components[c.PackageURL] != "" && (license == "" || !a.permits(license)) {
				used[c.PackageURL] = true
				license = a.components[c.PackageURL]
			}
			switch {
			case license == "":
				wrong[c.PackageURL] = fmt.Errorf("%s has no licence that is known (%s)", c.PackageURL, where(c))
			case !a.permits(license):
				wrong[c.PackageURL] = fmt.Errorf("%s has the licence %s (%s), which %s does not allow", c.PackageURL, license, where(c), path)
			}
		}
	}
	for url := range a.components {
		if !used[url] {
			wrong[url] = fmt.Errorf("%s: nothing needs the line of %s any longer", path, url)
		}
	}
	var all []error
	for _, url := range sortedKeys(wrong) {
		all = append(all, wrong[url])
	}
	return errors.Join(all...)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
