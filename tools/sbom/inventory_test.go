package main

import (
	"slices"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func TestTheListsHoldWhatIsLinkedAndNothingElse(t *testing.T) {
	parts, err := inventory("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range parts {
		has := func(name string) bool {
			return slices.ContainsFunc(*p.bom.Components, func(c cdx.Component) bool { return c.Name == name })
		}
		for name, in := range map[string]string{
			"cloud.google.com/go/firestore": "functions relationindex tests",
			"github.com/spf13/cobra":        "relationindex tests",
			"github.com/getkin/kin-openapi": "tests",
			"firebase":                      "web",
			"vite":                          "web",
		} {
			if want := slices.Contains(strings.Fields(in), p.name); has(name) != want {
				t.Errorf("%s has %s: %v; want %v", p.name, name, has(name), want)
			}
		}
	}
}

func TestAListThatIsNotCycloneDXIsRefused(t *testing.T) {
	bom := cdx.NewBOM()
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: "a"}
	addLicense(&c, "MIT", "LICENSE")
	bom.Components = &[]cdx.Component{c}
	good, err := encode(bom)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(good); err != nil {
		t.Errorf("a list is refused: %v", err)
	}
	for _, edit := range []struct{ from, to string }{
		{`"MIT"`, `"Some licence"`}, // no SPDX id
		{`"library"`, `"book"`},
		{`"CycloneDX"`, `"Other"`},
		{`"name"`, `"called"`},
	} {
		if bad := strings.ReplaceAll(string(good), edit.from, edit.to); bad == string(good) || validate([]byte(bad)) == nil {
			t.Errorf("with %s in place of %s it is accepted", edit.to, edit.from)
		}
	}
}
