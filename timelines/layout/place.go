package layout

import (
	"cmp"
	"strconv"
	"strings"
)

// place is where an entry lies in the order of a reader's buckets: by at, and where that is equal by
// post. No two entries have the same place. The zero place is none.
type place struct {
	at   int64
	post string
}

func placeOf(e Entry) place { return place{e.At, e.Post} }

func (p place) none() bool { return p.post == "" }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.at, q.at), strings.Compare(p.post, q.post))
}

// String returns the place as it is stored: "1764104871000000/p12". No id of a post has a slash.
func (p place) String() string { return strconv.FormatInt(p.at, 10) + "/" + p.post }

// readPlace returns a place that was stored, or none.
func readPlace(value any) place {
	text, _ := value.(string)
	at, post, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return place{}
	}
	return place{n, post}
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
