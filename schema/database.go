package schema

import (
	"fmt"

	"cloud.google.com/go/firestore"
)

// Database is a Firestore database that holds our documents. Its methods return the
// paths of the documents: see paths.go. It is safe for concurrent use.
type Database struct {
	Client   *firestore.Client
	Options  Options // valid, and without zero values
	Horizons *Horizons
}

// Open returns the database of a client. The caller keeps and closes the client. Open
// sends no requests. It returns the errors of [Options.Validate].
func Open(client *firestore.Client, opts Options) (*Database, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("relationindex: %w", err)
	}
	return &Database{Client: client, Options: opts.WithDefaults(), Horizons: NewHorizons(client, opts.Horizon > 0)}, nil
}
