package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// place is the place of an entry in the order of a reader's buckets: by at, and for equal at by a hash of the
// post's id. So no two entries have the same place, and the bounds of buckets do not name posts that may be
// deleted. The zero place is none.
type place struct {
	at   int64
	hash string
}

// placeAt returns the place of a post at a time. The hash is the first 72 bits of SHA-256. Finding two ids
// with the same hash takes about 2^36 tries. If two such posts have the same createdAt, one may come twice to
// its author's followers.
func placeAt(at int64, post string) place {
	hash := sha256.Sum256([]byte(post))
	return place{at, base64.RawURLEncoding.EncodeToString(hash[:9])}
}

func placeOf(e Entry) place { return placeAt(e.At, e.Post) }

func (p place) none() bool { return p.hash == "" }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.at, q.at), strings.Compare(p.hash, q.hash))
}

// String returns the stored form of the place: "1764104871000000/bEH-0bEeJ_Xp".
func (p place) String() string { return strconv.FormatInt(p.at, 10) + "/" + p.hash }

// readPlace returns a place that was stored, or none.
func readPlace(value any) place {
	text, _ := value.(string)
	at, hash, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return place{}
	}
	return place{n, hash}
}

// oldest returns the older of two places.
func oldest(p, q place) place {
	if p.compare(q) < 0 {
		return p
	}
	return q
}

// newest returns the newer of two places; the zero place is older than all others.
func newest(p, q place) place {
	if p.none() || !q.none() && p.compare(q) < 0 {
		return q
	}
	return p
}
