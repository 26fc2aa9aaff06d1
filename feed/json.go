package feed

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/genproto/googleapis/type/latlng"
)

// Post is a post in a feed.
type Post struct {
	ID        string    `json:"id"`
	UserID    string    `json:"userId"`    // the author
	CreatedAt time.Time `json:"createdAt"` // of the entry, which orders the page; UTC
	// Data holds the other fields of the post as JSON values: timestamps as RFC 3339 in
	// UTC with all their digits, bytes as base64, references as paths below the
	// database ("users/ada"), geo points as {latitude, longitude}. Numbers that JSON
	// does not have are "NaN", "Infinity" and "-Infinity". Maps, arrays and vectors
	// stay as they are. Integers beyond 2^53 are exact here, but not in JavaScript.
	Data map[string]any `json:"data"`
}

// errGone means that an entry's post is missing, no longer fits the entry, or is left out for a block.
var errGone = errors.New("the post is gone")

// postOf returns the post of an entry, read as doc. It returns errGone, or an error that
// names a post that the Firestore library cannot decode. Clients write posts, and the
// library supports fewer values than the protocol: a reference to a database, for example.
// DocumentSnapshot.Data would panic on such a post, and the whole page would be lost.
func postOf(e entry, doc *firestore.DocumentSnapshot, reader string, by *blocks) (Post, error) {
	if !doc.Exists() {
		return Post{}, errGone
	}
	data := map[string]any{}
	if err := doc.DataTo(&data); err != nil {
		return Post{}, fmt.Errorf("decode post %s: %w", doc.Ref.ID, err)
	}
	if !e.fits(data, reader) || by.hide(e, data) {
		return Post{}, errGone
	}
	delete(data, "userId")
	if at, ok := data["createdAt"].(time.Time); !ok || at.Equal(e.createdAt) {
		delete(data, "createdAt") // a comment may have lifted the entry: then the post has both times
	}
	plain(data)
	return Post{ID: e.post, UserID: e.author, CreatedAt: e.createdAt.UTC(), Data: data}, nil
}

// plain returns a Firestore value as encoding/json accepts it. It changes maps and
// arrays in place.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			v[key] = plain(value)
		}
	case []any:
		for i, value := range v {
			v[i] = plain(value)
		}
	case time.Time:
		return v.UTC()
	case float64:
		return number(v)
	case firestore.Vector64:
		return numbers(v)
	case firestore.Vector32:
		return numbers(v)
	case *latlng.LatLng:
		return map[string]any{"latitude": number(v.GetLatitude()), "longitude": number(v.GetLongitude())}
	case *firestore.DocumentRef:
		_, path, _ := strings.Cut(v.Path, "/documents/")
		return path
	}
	return v // null, booleans, integers, strings, bytes
}

func number(v float64) any {
	switch {
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 1):
		return "Infinity"
	case math.IsInf(v, -1):
		return "-Infinity"
	default:
		return v
	}
}

func numbers[V float32 | float64](vector []V) []any {
	all := make([]any, len(vector))
	for i, v := range vector {
		all[i] = number(float64(v))
	}
	return all
}
