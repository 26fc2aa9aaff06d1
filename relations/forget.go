package relations

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema"
)

func (x *Delivery) relationsOf(u string) firestore.Query {
	return x.db.Relations().Where(schema.FieldUserID, "==", u).Select()
}
