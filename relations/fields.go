package relations

import (
	"errors"

	"cloud.google.com/go/firestore"
)

// undecodable stands for a value that the Firestore library cannot decode. It
// knows fewer values than the protocol has: a reference to a database is one
// that any client can write, and DocumentSnapshot.Data panics on it. DataTo,
// DataAt and DataAtPath return an error, and that of a field says nothing of
// the others.
type undecodable struct{ error }

// fieldsOf decodes the named top-level fields of a document, each by itself. A
// field that is not there is not in the map; one that cannot be decoded is
// there as an undecodable.
func fieldsOf(doc *firestore.DocumentSnapshot, names ...string) map[string]any {
	fields := make(map[string]any, len(names))
	for _, name := range names {
		value, err := doc.DataAtPath(firestore.FieldPath{name})
		switch _, missing := errors.AsType[*firestore.FieldNotFoundError](err); {
		case missing, !doc.Exists():
		case err != nil:
			fields[name] = undecodable{err}
		default:
			fields[name] = value
		}
	}
	return fields
}

// textOf decodes a text field of a document; "" if it is none.
func textOf(doc *firestore.DocumentSnapshot, name string) string {
	text, _ := fieldsOf(doc, name)[name].(string)
	return text
}

// allFields decodes all fields of a document that is there. It returns an error
// when one of them cannot be decoded; the map then holds some of the others.
func allFields(doc *firestore.DocumentSnapshot) (map[string]any, error) {
	fields := map[string]any{}
	err := doc.DataTo(&fields)
	return fields, err
}
