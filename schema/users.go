package schema

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// HasProfile reports whether a user document has a field that functions do not write, or
// a value that cannot be decoded.
func HasProfile(user *firestore.DocumentSnapshot) bool {
	if !user.Exists() {
		return false
	}
	fields, err := AllFields(user)
	for name := range fields {
		if !names.IndexField(name) {
			return true
		}
	}
	return err != nil
}
