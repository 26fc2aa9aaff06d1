package feed

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// sealer seals cursors with one key, and opens them: AES-256-GCM. Nobody without the key can read a cursor, or make one
// that opens. A cursor opens only for the reader and the ref for which it was sealed.
//
// The same cursor of the same reader is always sealed to the same text: otherwise a page would get a new ETag each time.
// So the nonce is not random. It is an HMAC of the sealed content, with a separate key. Two cursors share a nonce with a
// probability of 2^-96.
type sealer struct {
	aead   cipher.AEAD
	nonces []byte // the key of nonces
}

// keyBytes is the length of a key, and of each of the two keys that a sealer derives from it.
const keyBytes = 32

// sealUse names the use of a key. Another form of cursors needs another name, so that a cursor of one form never opens
// as the other.
const sealUse = "relationindex: cursors of feed, 1"

// newSealer returns the sealer of a key of [keyBytes].
func newSealer(key []byte) (sealer, error) {
	if len(key) != keyBytes {
		return sealer{}, fmt.Errorf("the key has %d bytes, but must have %d", len(key), keyBytes)
	}
	keys, err := hkdf.Key(sha256.New, key, nil, sealUse, 2*keyBytes)
	if err != nil {
		return sealer{}, err
	}
	block, err := aes.NewCipher(keys[:keyBytes])
	if err != nil {
		return sealer{}, err
	}
	aead, err := cipher.NewGCM(block)
	return sealer{aead, keys[keyBytes:]}, err
}

// bound returns the reader and ref for which a cursor is sealed. The length keeps reader and ref apart.
func (s scope) bound() []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(s.reader))) //nolint:gosec // the id of an account
	return append(append(b, s.reader...), s.ref...)
}

// seal returns a sealed payload: its nonce, and the output of AES-GCM.
func (s sealer) seal(payload []byte, of scope) string {
	bound := of.bound()
	mac := hmac.New(sha256.New, s.nonces)
	mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(bound)))) //nolint:gosec // as in bound
	mac.Write(bound)
	mac.Write(payload)
	nonce := mac.Sum(nil)[:s.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, payload, bound))
}

// open reverses seal, and reports whether that succeeded.
func (s sealer) open(sealed []byte, of scope) ([]byte, bool) {
	n := s.aead.NonceSize()
	if len(sealed) < n {
		return nil, false
	}
	payload, err := s.aead.Open(nil, sealed[:n], sealed[n:], of.bound())
	return payload, err == nil
}

// sealedLen returns the longest text of a cursor.
func sealedLen(of scope) int {
	const nonce, tag = 12, 16 // of GCM
	return base64.RawURLEncoding.EncodedLen(nonce + of.maxPayload() + tag)
}
