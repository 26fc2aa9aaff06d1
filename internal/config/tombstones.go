package config

import (
	"cmp"
	"slices"
	"strings"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// VariableTombstones is the variable for the key of tombstones. Its value is a secret, so no command line
// contains the value.
const VariableTombstones = "RELATIONINDEX_TOMBSTONE_KEY"

// TombstoneVersion is the version of the secret TombstoneSecret that functions read.
const TombstoneVersion = "1"

// TombstoneSecret returns the name of the secret, in the project's Secret Manager, with the key
// of tombstones: relationindex-tombstone-key-default.
func TombstoneSecret(c schema.Config) string {
	return "relationindex-tombstone-key-" + cmp.Or(c.Database, "default")
}

// NeedsTombstones reports whether a function gets the key of tombstones: it reads tombstones, or makes jobs, whose owners
// the key hides.
func NeedsTombstones(function string) bool {
	all := schema.Config{}.Settings()
	i := slices.IndexFunc(all, func(s settings.Setting) bool { return s.Variable == VariableTombstones })
	return slices.Contains(strings.Split(all[i].By, ", "), function)
}
