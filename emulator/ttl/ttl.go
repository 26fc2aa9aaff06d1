// Package ttl deletes expired documents, as Firestore's TTL policies do. The emulator
// has no such policies.
package ttl

import (
	"context"
	"errors"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/indexfile"
)

// page is the number of expired documents that are read at once.
const page = 300

// Delete deletes the documents of a database whose TTL field in file is before a time, and
// returns their number. It deletes from the emulator at host, as the owner. The deletions fire triggers,
// as in production. The next call retries a document that changes meanwhile.
func Delete(ctx context.Context, host, project, database string, file *indexfile.File, before time.Time) (deleted int, err error) {
	connection, err := (&guard.Guard{}).Connect(host) // this guard rejects nothing
	if err != nil {
		return 0, err
	}
	client, err := firestore.NewClientWithDatabase(ctx, project, database, connection)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, client.Close()) }() // closes the connection too
	for _, o := range file.Overrides {
		if !o.TTL {
			continue
		}
		n, err := deleteOf(ctx, client.CollectionGroup(o.Group).Where(o.Path, "<", before).Select(o.Path).Limit(page))
		if deleted += n; err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

func deleteOf(ctx context.Context, query firestore.Query) (deleted int, err error) {
	for {
		docs, err := query.Documents(ctx).GetAll()
		if err != nil {
			return deleted, err
		}
		failed := 0
		for _, doc := range docs {
			_, err := doc.Ref.Delete(ctx, firestore.LastUpdateTime(doc.UpdateTime))
			switch status.Code(err) {
			case codes.OK:
				deleted++
			case codes.FailedPrecondition, codes.NotFound, codes.Aborted: // the document has changed, or is locked
				failed++
			default:
				return deleted, err
			}
		}
		if len(docs) < page || failed == len(docs) {
			return deleted, nil
		}
	}
}
