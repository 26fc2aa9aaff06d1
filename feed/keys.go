package feed

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/batch"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// KeysID is the document of [names.SystemSettings] with the keys of cursors. Rules let no client
// read it.
const KeysID = "cursors"

const (
	// fieldKeys is an array of keys, each of [keyBytes]. The first seals; all of the first
	// [maxKeys] open.
	fieldKeys = "keys"
	maxKeys   = 5

	// keysAgain is how long a process goes on with the keys that it has read, although a
	// cursor does not open by them: so cursors that were made up cost no reads.
	keysAgain = time.Minute
	// keysRetry is the same after a read that failed.
	keysRetry = 5 * time.Second
)

// ErrNoKeys means that the keys of cursors are not there yet, and that this process may not make
// them. Any other function makes them when it starts: Sweep, within a minute.
var ErrNoKeys = errors.New("there are no keys of cursors yet: see " + names.SystemSettings + "/" + KeysID)

// ErrBadKeys means that the document with the keys of cursors is damaged. Delete it: the
// next function that starts makes another, and clients begin again at the first page.
var ErrBadKeys = errors.New(names.SystemSettings + "/" + KeysID + " is damaged: delete it, and cursors end")

// Keys seals the cursors of a database's feeds, and opens them, for all processes alike. Who can
// read the keys can read the posts, and cursors tell no more than these. It is safe for
// concurrent use.
type Keys struct {
	doc *firestore.DocumentRef // nil: the key is this process's own
	now func() time.Time

	reading batch.Flight[[]sealer] // of the keys again, as a cursor did not open

	mu      sync.Mutex // of what follows
	sealers []sealer   // none: not read yet
	at      time.Time
	failed  error // of the last read, if it was for a cursor that did not open
}

// NewKeys returns the keys of a client's database, in the document _settings/cursors. It
// sends no requests.
func NewKeys(client *firestore.Client) *Keys {
	return &Keys{doc: client.Collection(names.SystemSettings).Doc(KeysID), now: time.Now}
}

// ownKeys returns a key that no other process has.
func ownKeys() *Keys {
	s, err := newSealer(newKey())
	if err != nil {
		panic(err) // for a key of another length alone
	}
	return &Keys{now: time.Now, sealers: []sealer{s}}
}

func newKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	return key
}

// Make makes the first key, unless there is one. It costs a read, and once in the life of a
// database a write and another read. You may call it twice and at once: one call makes the key,
// and all go on with that one. A crash after the write leaves the key to the others.
func (k *Keys) Make(ctx context.Context) error {
	_, err := k.load(ctx)
	return err
}

// seal returns a cursor as text; "" at the beginning.
func (k *Keys) seal(ctx context.Context, c cursor, of scope) (string, error) {
	payload := c.encode(of)
	if payload == nil {
		return "", nil
	}
	all, err := k.all(ctx, false)
	if err != nil {
		return "", err
	}
	return all[0].seal(payload, of), nil
}

// open reverses seal; "" is the beginning. For a text that seal cannot have made, it returns
// [ErrCursor].
func (k *Keys) open(ctx context.Context, text string, of scope) (cursor, error) {
	if text == "" {
		return beginning, nil
	}
	if most := sealedLen(of); len(text) > most {
		return cursor{}, fmt.Errorf("%w: it has %d characters, more than %d", ErrCursor, len(text), most)
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(sealed)) != len(text) { // a line break
		return cursor{}, ErrCursor
	}
	for _, again := range []bool{false, true} {
		all, err := k.all(ctx, again)
		if err != nil {
			return cursor{}, err
		}
		for _, s := range all {
			if payload, ok := s.open(sealed, of); ok {
				return decodeCursor(payload, of)
			}
		}
	}
	return cursor{}, ErrCursor
}

// all returns the keys. It reads them once, and again if the caller could not open a cursor
// and they are older than [keysAgain]: there may be a newer one. Calls at once may each read the
// first time. Later one call reads for all, also if its caller goes, and the others wait for it, as
// long as their contexts allow. If it fails, callers whose cursor does not open get its error until a read succeeds. The next is keysRetry later.
func (k *Keys) all(ctx context.Context, again bool) ([]sealer, error) {
	known, failed, due := k.known(again)
	switch {
	case len(known) == 0:
		return k.load(ctx)
	case due:
		return k.reading.Do(ctx, k.loadAgain)
	case again && failed != nil:
		return nil, failed
	default:
		return known, nil
	}
}

// known returns the keys, the error of the last read again, and whether they have to be read again now.
func (k *Keys) known(again bool) (known []sealer, failed error, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sealers, k.failed, again && k.doc != nil && k.now().Sub(k.at) >= keysAgain
}

// loadAgain is load, unless a call that has just ended did it.
func (k *Keys) loadAgain(ctx context.Context) ([]sealer, error) {
	if known, failed, due := k.known(true); !due {
		return known, failed
	}
	ctx, cancel := context.WithTimeout(ctx, keysRetry)
	defer cancel()
	all, err := k.load(ctx)
	if err != nil {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.at, k.failed = k.now().Add(keysRetry-keysAgain), err
	}
	return all, err
}

// load reads the keys, and makes the first. In production, Feed may only read: then it
// returns [ErrNoKeys].
func (k *Keys) load(ctx context.Context) ([]sealer, error) {
	doc, err := k.doc.Get(ctx)
	if status.Code(err) == codes.NotFound {
		_, err = k.doc.Create(ctx, map[string]any{fieldKeys: []any{newKey()}})
		switch status.Code(err) {
		case codes.PermissionDenied:
			return nil, ErrNoKeys
		case codes.OK, codes.AlreadyExists: // another process was first
			doc, err = k.doc.Get(ctx)
		default: // err says what
		}
	}
	if err != nil {
		return nil, fmt.Errorf("keys of cursors: %w", err)
	}
	sealers, err := sealersOf(doc)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.sealers, k.at, k.failed = sealers, k.now(), nil
	return sealers, nil
}

// sealersOf returns the sealers of the keys in their document, at least one.
func sealersOf(doc *firestore.DocumentSnapshot) (all []sealer, err error) {
	keys, _ := schema.FieldsOf(doc, fieldKeys)[fieldKeys].([]any)
	for _, value := range keys[:min(len(keys), maxKeys)] {
		key, _ := value.([]byte)
		s, err := newSealer(key)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrBadKeys, err)
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: it has no keys", ErrBadKeys)
	}
	return all, nil
}
