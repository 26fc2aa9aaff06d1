package followers

import (
	"context"
	"errors"
	"strings"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
)

// The document _tombstones/key identifies the one key that names tombstones. It holds the hash, made with that key, of
// a text that is no account's id. A process with another key would not find the existing tombstones, and would bring
// deleted accounts back. So such a process does nothing.

// keyID is not a hash, so no tombstone has this id.
const keyID = "key"

// nobody is not a valid account id: an id cannot contain a slash.
const nobody = "/"

const fieldHash = "hash"

// Errors of [Graph.CheckTombstoneKey]. A retry helps when the process has the right key.
var (
	// ErrNoKey says that this is production, and there is no key.
	ErrNoKey = errors.New("RELATIONINDEX_TOMBSTONE_KEY is not set: for functions, deploy sets the variable from the secret; for a command, export the variable in your shell; see docs/operations.md")
	// ErrOtherKey says that tombstones are made with another key.
	ErrOtherKey = errors.New("RELATIONINDEX_TOMBSTONE_KEY is not the key of this database's tombstones: use the key of the deployed functions, which deploy stored as a secret. If that key is lost, see docs/operations.md")
)

// CheckTombstoneKey returns [ErrNoKey] or [ErrOtherKey] unless this process may look up tombstones with the key of
// [schema.Config]. It costs a read. You may call it again.
//
// A project whose name begins with demo- is an emulator's: there, an empty key is valid.
func (x *Graph) CheckTombstoneKey(ctx context.Context) error {
	_, err := x.storedKey(ctx)
	return err
}

// UseTombstoneKey is CheckTombstoneKey for a process that makes tombstones from now on. The first such process of a
// database stores the hash of its key, which costs a write. All other processes must have the same key. You may call it
// twice and at once.
//
// A crash before the write leaves no hash: the next process stores its own. There are no
// tombstones until a process has stored one.
func (x *Graph) UseTombstoneKey(ctx context.Context) error {
	stored, err := x.storedKey(ctx)
	if stored || err != nil {
		return err
	}
	_, err = x.db.Tombstone(keyID).Create(ctx, map[string]any{fieldHash: x.db.TombstoneID(nobody)})
	if status.Code(err) == codes.AlreadyExists { // another process was first
		return x.CheckTombstoneKey(ctx)
	}
	return err
}

// storedKey reports whether a hash is stored. It returns [ErrOtherKey] if that is not this key's hash.
func (x *Graph) storedKey(ctx context.Context) (bool, error) {
	ref := x.db.Tombstone(keyID)
	if x.db.Config.TombstoneKey == "" && !strings.HasPrefix(ref.Path, "projects/demo-") {
		return false, ErrNoKey
	}
	snaps, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{ref})
	if err != nil || !snaps[0].Exists() {
		return false, err
	}
	if schema.TextOf(snaps[0], fieldHash) != x.db.TombstoneID(nobody) {
		return true, ErrOtherKey // also if somebody has damaged it
	}
	return true, nil
}
