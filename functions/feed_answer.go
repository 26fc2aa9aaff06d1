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

	"example.com/relationindex/internal/identity"
)

const jsonType = "application/json"

// jsonOf returns an answer as JSON.
func jsonOf(answer any) ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // nosniff makes this needless, and escapes make the body larger
	err := encoder.Encode(answer)
	return body.Bytes(), err
}

// answerBody writes an answer, or 304 if the client already has it.
//
// The ETag is weak (W/"…"). It names the content, and so is valid for compressed
// and plain answers.
func answerBody(w http.ResponseWriter, r *http.Request, body []byte) (status int) {
	sum := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	header := w.Header()
	header.Set("ETag", "W/"+tag)
	header.Set("Cache-Control", "private, no-cache") // store, but revalidate each time
	header.Add("Vary", "Authorization")              // compression and CORS add theirs
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return http.StatusNotModified
	}
	writeJSON(w, http.StatusOK, body)
	return http.StatusOK
}

// matches reports whether If-None-Match names tag, in the weak comparison of RFC
// 9110: W/ is ignored.
func matches(values []string, tag string) bool {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") { // our tags have no comma
			if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == tag {
				return true
			}
		}
	}
	return false
}

// fail writes an error in the shape of all Feed errors, and returns the status.
func fail(w http.ResponseWriter, status int, code, message string) int {
	body, err := json.Marshal(map[string]any{"error": map[string]string{"code": code, "message": message}})
	if err != nil {
		panic(err) // strings always encode
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, status, append(body, '\n'))
	return status
}

func unavailable(w http.ResponseWriter) int {
	w.Header().Set("Retry-After", "1")
	return fail(w, http.StatusServiceUnavailable, "unavailable", "temporarily unavailable; try again")
}

// exhausted answers a request of an account above its rate.
func exhausted(w http.ResponseWriter, wait time.Duration) int {
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	return fail(w, http.StatusTooManyRequests, "resource-exhausted", "too many requests from this account; try again later")
}

// refuse answers a request whose token is invalid, or could not be verified.
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
	_, _ = w.Write(body) //nolint:gosec // JSON, which browsers do not take for a page: nosniff. The client may have left
}
