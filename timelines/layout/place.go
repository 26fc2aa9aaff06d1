package layout

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
)

// place is where an entry lies in the order of a reader's buckets: by at, and where that is equal by a
// hash of the post's id. So no two entries have the same place, and the bounds of buckets do not name posts
// that may have gone. The zero place is none.
type place struct {
	at   int64
	hash string
}

// placeAt returns the place of a post at a time. The hash is the first 72 bits of SHA-256. To find two ids
// that share them takes about 2^36 tries. With the same createdAt, one of the two posts may then come twice
// to its author's followers.
func placeAt(at int64, post string) place {
	hash := sha256.Sum256([]byte(post))
	return place{at, base64.RawURLEncoding.EncodeToString(hash[:9])}
}

func placeOf(e Entry) place { return placeAt(e.At, e.Post) }

func (p place) none() bool { return p.hash == "" }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.at, q.at), strings.Compare(p.hash, q.hash))
}

// String returns the place as it is stored: "1764104871000000/bEH-0bEeJ_Xp".
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

// newest returns the newer of two places; none is older than all.
func newest(p, q place) place {
	if p.none() || !q.none() && p.compare(q) < 0 {
		return q
	}
	return p
}
