package schema

import (
	"errors"

	"cloud.google.com/go/firestore"
)

// Undecodable stands for a value that the Firestore library cannot decode. The protocol
// has values that the library does not support. A reference to a database is one, and
// any client can write it. DocumentSnapshot.Data panics on such a value. DataTo, DataAt
// and DataAtPath return an error. An error of one field does not affect the others.
type Undecodable struct{ error }

// FieldsOf decodes the named top-level fields of a document, one by one. A missing field is not in the map. A
// field that cannot be decoded is an Undecodable.
func FieldsOf(doc *firestore.DocumentSnapshot, names ...string) map[string]any {
	fields := make(map[string]any, len(names))
	for _, name := range names {
		value, err := doc.DataAtPath(firestore.FieldPath{name})
		switch _, missing := errors.AsType[*firestore.FieldNotFoundError](err); {
		case missing, !doc.Exists():
		case err != nil:
			fields[name] = Undecodable{err}
		default:
			fields[name] = value
		}
	}
	return fields
}

// TextOf returns a text field of a document; "" if the field is missing or not text.
func TextOf(doc *firestore.DocumentSnapshot, name string) string {
	text, _ := FieldsOf(doc, name)[name].(string)
	return text
}

// AllFields decodes all fields of an existing document. If a field cannot be decoded,
// it returns an error, and only some of the other fields.
func AllFields(doc *firestore.DocumentSnapshot) (map[string]any, error) {
	fields := map[string]any{}
	err := doc.DataTo(&fields)
	return fields, err
}
