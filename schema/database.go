package schema

import (
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
)

// Database is a Firestore database that holds our documents. Its methods return the
// paths of the documents: see paths.go. It is safe for concurrent use.
type Database struct {
	Client   *firestore.Client
	Config   Config // valid, and without zero values
	Horizons *Horizons

	idleSince atomic.Int64 // microseconds; 0: not known
	brake     cached[bool] // is it on?
}

// SetIdleSince sets the time since when idle readers are left out, as functions have stored it. The zero time
// means unknown. It may be called at any time.
func (d *Database) SetIdleSince(at time.Time) {
	if at.IsZero() {
		d.idleSince.Store(0)
	} else {
		d.idleSince.Store(at.UnixMicro())
	}
}

// IdleSince returns what [Database.SetIdleSince] has set; the zero time at first.
func (d *Database) IdleSince() time.Time {
	if at := d.idleSince.Load(); at != 0 {
		return time.UnixMicro(at)
	}
	return time.Time{}
}

// Open returns the database of a client. The caller keeps and closes the client. Open
// sends no requests. It returns the errors of [Config.Validate].
func Open(client *firestore.Client, c Config) (*Database, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("relationindex: %w", err)
	}
	return &Database{Client: client, Config: c.WithDefaults(), Horizons: NewHorizons(client, c.Horizon > 0)}, nil
}
