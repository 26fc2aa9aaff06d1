package tokens

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// Claims are the claims of a token.
type Claims = map[string]any

// Header is the header of a token: how it is signed.
type Header = map[string]any

// IDToken returns an ID token of an account, valid for an hour. change may change the header and
// claims before the token is signed. It may be nil.
func (g *Google) IDToken(project, uid string, change func(Header, Claims)) string {
	return g.keys.token(change, userClaims(project, uid))
}

// Forged returns an ID token signed by another key with the same id.
func (g *Google) Forged(project, uid string) string {
	return g.strangers.token(nil, userClaims(project, uid))
}

func userClaims(project, uid string) Claims {
	return Claims{
		"iss": "https://securetoken.google.com/" + project, "aud": project,
		"sub": uid, "user_id": uid, "auth_time": time.Now().Unix(),
		"firebase": map[string]any{"sign_in_provider": "password"},
	}
}

// AppCheckToken returns an App Check token, valid for an hour; change is as in IDToken.
func (g *Google) AppCheckToken(project string, change func(Header, Claims)) string {
	return g.keys.token(change, Claims{
		"iss": "https://firebaseappcheck.googleapis.com/1234", "aud": []string{"projects/1234", "projects/" + project},
		"sub": "1:1234:web:abcd",
	})
}

// signer is a key with its certificate.
type signer struct {
	kid         string
	key         *rsa.PrivateKey
	certificate string // PEM
}

func newSigner(kid string) (*signer, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now(), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &signer{kid, key, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))}, nil
}

func (s *signer) jwk() map[string]any {
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": s.kid,
		"n": encode(s.key.N.Bytes()), "e": encode(big.NewInt(int64(s.key.E)).Bytes()),
	}
}

func (s *signer) token(change func(Header, Claims), claims Claims) string {
	header := Header{"alg": "RS256", "typ": "JWT", "kid": s.kid}
	claims["iat"], claims["exp"] = time.Now().Unix(), time.Now().Add(time.Hour).Unix()
	if change != nil {
		change(header, claims)
	}
	content := part(header) + "." + part(claims)
	sum := sha256.Sum256([]byte(content))
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.key, crypto.SHA256, sum[:])
	if err != nil {
		panic(fmt.Sprintf("sign a token: %v", err)) // the key is our own
	}
	return content + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func part(v map[string]any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("token of a test: %v", err))
	}
	return base64.RawURLEncoding.EncodeToString(text)
}
