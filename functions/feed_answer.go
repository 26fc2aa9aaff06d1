package functions

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/runtime/identity"
)

const jsonType = "application/json"

// answerPage writes a page, or that the client has it already.
//
// The ETag is a weak one, W/"…": it names what the page says, and so holds for
// the compressed answer as well as for the plain one.
func answerPage(w http.ResponseWriter, r *http.Request, page feed.Page) (status int, err error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // it is no HTML, see nosniff below, and would grow
	if err := encoder.Encode(page); err != nil {
		return fail(w, http.StatusInternalServerError, "internal", "the log says why"), err
	}
	sum := sha256.Sum256(body.Bytes())
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	header := w.Header()
	header.Set("ETag", "W/"+tag)
	header.Set("Cache-Control", "private, no-cache") // keep it, and ask each time
	header.Add("Vary", "Authorization")              // beside what compression and CORS add
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified, nil
	}
	writeJSON(w, http.StatusOK, body.Bytes())
	return http.StatusOK, nil
}

// matches says that If-None-Match names a tag, compared weakly as RFC 9110 has
// it: W/ or not does not matter.
func matches(values []string, tag string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") { // ours has no comma in it
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// fail answers with an error, in the shape that all have, and returns the status.
func fail(w http.ResponseWriter, status int, code, message string) int {
	body, err := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}})
	if err != nil {
		panic(err) // strings are always JSON
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, append(body, '\n'))
	return status
}

func unavailable(w http.ResponseWriter) int {
	w.Header().Set("Retry-After", "1")
	return fail(w, http.StatusServiceUnavailable, "unavailable", "not at the moment; try again")
}

// exhausted answers a request of an account that has made too many.
func exhausted(w http.ResponseWriter, wait time.Duration) int {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return fail(w, http.StatusTooManyRequests, "resource-exhausted", "too many requests of this account; try again later")
}

// refuse answers a request whose token is not good, or cannot be verified.
func refuse(w http.ResponseWriter, err error, challenge, message string) int {
	if errors.Is(err, identity.ErrUnavailable) {
		return unavailable(w)
	}
	w.Header().Set("WWW-Authenticate", challenge)
	return fail(w, http.StatusUnauthorized, "unauthenticated", message)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", jsonType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may have gone
}
