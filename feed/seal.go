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

// sealer seals cursors with one key, and opens them: AES-256-GCM. Nobody without the key can
// read a cursor, or make one that opens. It opens for the reader and the ref that it was
// sealed for alone.
//
// The same cursor of the same reader is sealed to the same text, or a page would get another
// ETag each time. So the nonce is not random, but an HMAC of what is sealed, under a key of
// its own: two cursors share one with a probability of 2^-96.
type sealer struct {
	aead   cipher.AEAD
	nonces []byte // the key of nonces
}

// keyBytes is the length of a key, and of each of the two that a sealer makes of it.
const keyBytes = 32

// sealUse names the use of a key. Another form of cursors gets another, so that none opens as
// one of the other form.
const sealUse = "relationindex: cursors of feed, 1"

// newSealer returns the sealer of a key of [keyBytes].
func newSealer(key []byte) (sealer, error) {
	if len(key) != keyBytes {
		return sealer{}, fmt.Errorf("a key of %d bytes, want %d", len(key), keyBytes)
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

// bound is what a cursor is sealed for. The length keeps reader and ref apart.
func (s scope) bound() []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(s.reader))) //nolint:gosec // the id of an account
	return append(append(b, s.reader...), s.ref...)
}

// seal returns a payload as text: its nonce, and what AES-GCM makes of it.
func (s sealer) seal(payload []byte, of scope) string {
	bound := of.bound()
	mac := hmac.New(sha256.New, s.nonces)
	mac.Write(binary.BigEndian.AppendUint32(nil, uint32(len(bound)))) //nolint:gosec // as in bound
	mac.Write(bound)
	mac.Write(payload)
	nonce := mac.Sum(nil)[:s.aead.NonceSize()]
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, payload, bound))
}

// open reverses seal, and reports whether it could.
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
