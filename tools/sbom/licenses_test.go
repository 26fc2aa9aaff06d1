package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestAnExpressionIsPermittedByItsParts(t *testing.T) {
	a := &allowed{licenses: map[string]bool{"MIT": true, "ISC": true}}
	for expression, want := range map[string]bool{
		"MIT":                       true,
		"(MIT)":                     true,
		"GPL-3.0-only":              false,
		"MIT AND ISC":               true,
		"MIT AND GPL-3.0-only":      false,
		"(GPL-3.0-only OR MIT)":     true,
		"GPL-3.0-only OR AGPL-3.0":  false,
		"(MIT OR ISC) AND GPL-3.0":  false,
		"GPL-3.0 AND (MIT OR ISC)":  false,
		"MIT WITH some-exception":   false,
		"":                          false,
		"mit":                       false,
		"(MIT AND ISC) OR GPL-2.0+": false, // for a person to look at
	} {
		if got := a.permits(expression); got != want {
			t.Errorf("permits(%q) = %v; want %v", expression, got, want)
		}
	}
}

func TestALicenceThatIsNotAllowedIsNamedWithItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "licenses.txt")
	if err := os.WriteFile(file, []byte("MIT\npkg:golang/read.example/x@v1 MIT # COPYING\npkg:golang/gone.example/x@v1 MIT\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	component := func(name, license, file string) cdx.Component {
		c := cdx.Component{Name: name, Version: "v1", PackageURL: "pkg:golang/" + name + "@v1"}
		addLicense(&c, license, file)
		return c
	}
	parts := []part{{"functions", &cdx.BOM{Components: &[]cdx.Component{
		component("good.example/x", "MIT", "LICENSE"),
		component("read.example/x", "", ""),
		component("silent.example/x", "", ""),
		component("other.example/x", "GPL-3.0", "COPYING"),
	}}}}
	err := checkLicenses(file, parts)
	if err == nil {
		t.Fatal("nothing is wrong; want three errors")
	}
	got := strings.Split(err.Error(), "\n")
	want := []string{
		"nothing needs the line of pkg:golang/gone.example/x@v1 any longer",
		"pkg:golang/other.example/x@v1 has the licence GPL-3.0 (COPYING)",
		"pkg:golang/silent.example/x@v1 has no licence that is known",
	}
	if len(got) != len(want) {
		t.Fatalf("%d errors; want %d:\n%v", len(got), len(want), err)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("error %d is %q; want %q in it", i, got[i], want[i])
		}
	}
}

func TestAComponentHasTheLicencesOfAllItsFiles(t *testing.T) {
	var c cdx.Component
	addLicense(&c, "MIT", "LICENSE")
	addLicense(&c, "BSD-3-Clause AND MIT", "snappy/LICENSE")
	if got, want := licenseOf(c), "BSD-3-Clause AND MIT"; got != want {
		t.Errorf("licence %q; want %q", got, want)
	}
	if got, want := where(c), "LICENSE, snappy/LICENSE"; got != want {
		t.Errorf("files %q; want %q", got, want)
	}
}
