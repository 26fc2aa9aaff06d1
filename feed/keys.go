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
	// fieldKeys is an array of keys of [keyBytes] each. The first key seals. Each of the first [maxKeys] keys opens.
	fieldKeys = "keys"
	maxKeys   = 5

	// keysAgain is the shortest time between two reads of the keys, even if a cursor does not open: so made-up cursors
	// cost no reads.
	keysAgain = time.Minute
	// keysRetry is the same after a failed read.
	keysRetry = 5 * time.Second
)

// ErrNoKeys means that the keys of cursors do not exist yet, and that this process may not make them. Every other
// function makes them when it starts: Sweep does so within a minute.
var ErrNoKeys = errors.New("there are no keys of cursors yet: functions other than Feed create the document " + names.SystemSettings + "/" + KeysID + " when they start")

// ErrBadKeys means that the document with the keys of cursors is damaged. Delete it: the
// next function that starts makes another, and clients begin again at the first page.
var ErrBadKeys = errors.New(names.SystemSettings + "/" + KeysID + " is damaged: delete the document; functions create new keys when they start, and clients begin again at the first page")

// Keys seals and opens the cursors of a database's feeds, in the same way in all processes. Anybody who can read the
// keys can read the posts, and a cursor contains no more than the posts do. Keys is safe for concurrent use.
type Keys struct {
	doc *firestore.DocumentRef // nil: the key is this process's own
	now func() time.Time

	reading batch.Flight[[]sealer] // a further read of the keys, because a cursor did not open

	mu      sync.Mutex // protects the fields below
	sealers []sealer   // none: not read yet
	at      time.Time
	failed  error // of the last read, if that was for a cursor that did not open
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
		panic(err) // only for a key of another length
	}
	return &Keys{now: time.Now, sealers: []sealer{s}}
}

func newKey() []byte {
	key := make([]byte, keyBytes)
	_, _ = rand.Read(key) // never fails
	return key
}

// Make makes the first key, unless there is one. It costs a read. Once in the life of a database, it also costs a write
// and another read. You may call it twice and at once: one call makes the key, and all callers use that key. A crash
// after the write leaves the key for the other processes.
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
		return cursor{}, fmt.Errorf("%w: the cursor has %d characters, the limit is %d", ErrCursor, len(text), most)
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

// all returns the keys. It reads them once. It reads them again if the caller could not open a cursor and the keys are
// older than [keysAgain]: there may be a newer key.
//
// Concurrent first calls may each read. Later, one call reads for all, even if its caller is canceled. The others wait
// for that read, as long as their contexts allow. If the read fails, callers whose cursor does not open get its error
// until a read succeeds. The next read is keysRetry later.
func (k *Keys) all(ctx context.Context, again bool) ([]sealer, error) {
	known, failed, due := k.known(again)
	switch {
	case len(known) == 0:
		return k.load(ctx)
	case due:
		return k.reading.Do(ctx, "", k.loadAgain)
	case again && failed != nil:
		return nil, failed
	default:
		return known, nil
	}
}

// known returns the keys, the error of the last repeated read, and whether the keys have to be read again now.
func (k *Keys) known(again bool) (known []sealer, failed error, due bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sealers, k.failed, again && k.doc != nil && k.now().Sub(k.at) >= keysAgain
}

// loadAgain is load, unless a call that has just ended has already read the keys.
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

// load reads the keys, and makes the first key if there is none. In production, Feed may only read: then load returns
// [ErrNoKeys].
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
		return nil, fmt.Errorf("%w: the document has no keys", ErrBadKeys)
	}
	return all, nil
}
