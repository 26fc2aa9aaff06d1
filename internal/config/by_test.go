package config_test

import (
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema"
)

// The functions that a setting says it is used by are there.
func TestSettingsNameFunctions(t *testing.T) {
	for _, s := range (schema.Config{}).Settings() {
		for _, name := range strings.Split(s.By, ", ") {
			if s.By != "all" && !slices.Contains(triggers.Names(), name) {
				t.Errorf("%s is used by %q, which is no function", s.Variable, name)
			}
		}
	}
}
