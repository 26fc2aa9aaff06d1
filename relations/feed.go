package relations

import "cloud.google.com/go/firestore"

// FeedQuery is the query that a reader's client makes: the newest posts of
// everyone that reader follows. Rules want a limit of at most 50. Each
// relation that it finds is one read.
func (x *Index) FeedQuery(reader string, limit int) firestore.Query {
	return x.relations().
		Where(fieldFollowers, "array-contains", reader).
		OrderBy(fieldCreatedAt, firestore.Desc).
		Limit(limit)
}
