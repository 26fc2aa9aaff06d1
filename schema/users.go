package schema

import (
	"maps"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// HasProfile reports whether a user document has a field that functions do not write, or
// a value that cannot be decoded.
func HasProfile(user *firestore.DocumentSnapshot) bool {
	profile, err := ProfileFields(user)
	return len(profile) > 0 || err != nil
}

// ProfileFields returns the names of the fields of a user document that functions do not write, sorted;
// none, if there is no document. If a value cannot be decoded, it returns an error, and only some of
// the names.
func ProfileFields(user *firestore.DocumentSnapshot) ([]string, error) {
	if !user.Exists() {
		return nil, nil
	}
	fields, err := AllFields(user)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(fields)), names.IndexField), err
}
