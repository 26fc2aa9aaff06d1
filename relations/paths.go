package relations

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
)

// CheckID reports why id cannot be a document id in Firestore; nil if it can.
func CheckID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("id is empty")
	case len(id) > maxIDBytes:
		return fmt.Errorf("id has %d bytes, the limit is %d", len(id), maxIDBytes)
	case !utf8.ValidString(id):
		return fmt.Errorf("id is not UTF-8")
	case id == "." || id == "..":
		return fmt.Errorf("id %q is reserved", id)
	case reserved(id):
		return fmt.Errorf("id %q is reserved (it begins and ends with __)", id)
	}
	for i := range len(id) {
		if id[i] == '/' {
			return fmt.Errorf("id contains a slash")
		}
	}
	return nil
}

// checkAuthorID is CheckID for an author: posts are found by it.
func checkAuthorID(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	if len(id) > maxQueriedBytes {
		return fmt.Errorf("id has %d bytes, an author's may have %d: a longer value cannot be queried", len(id), maxQueriedBytes)
	}
	return nil
}

// checkFollow reports why f cannot follow u: the follower document is not one
// that can be indexed, and is left alone.
func checkFollow(u, f string) error {
	if u == f {
		return fmt.Errorf("an author cannot follow themselves")
	}
	if err := checkAuthorID(u); err != nil {
		return err
	}
	return CheckID(f)
}

// reserved says that Firestore keeps an id for itself: it is like __.*__, where . is
// no line break. An expression for it would be compiled at each start.
func reserved(id string) bool {
	return len(id) >= 4 && strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__") && !strings.Contains(id, "\n")
}

// users/{u}
func (x *Index) user(u string) *firestore.DocumentRef {
	return x.client.Collection(x.opts.Collections.Users).Doc(u)
}

// users/{u}/followers/{f}: the truth
func (x *Index) follower(u, f string) *firestore.DocumentRef {
	return x.user(u).Collection(x.opts.Collections.Followers).Doc(f)
}

// users/{f}/following/{u}: the mirror
func (x *Index) mirror(u, f string) *firestore.DocumentRef {
	return x.user(f).Collection(Following).Doc(u)
}

// users/{u}/blocked/{f}: f may not follow u
func (x *Index) block(u, f string) *firestore.DocumentRef {
	return x.user(u).Collection(Blocked).Doc(f)
}

// users/{u}/followers_index
func (x *Index) indexDocuments(u string) *firestore.CollectionRef {
	return x.user(u).Collection(FollowersIndex)
}

// posts/{p}
func (x *Index) post(p string) *firestore.DocumentRef {
	return x.client.Collection(x.opts.Collections.Posts).Doc(p)
}

// _relations
func (x *Index) relations() *firestore.CollectionRef {
	return x.client.Collection(Relations)
}

// _relations/{p}_{i}, e.g. _relations/4fGh_00001
func (x *Index) relation(p, i string) *firestore.DocumentRef {
	return x.relations().Doc(relationID(p, i))
}

// relationID is the id of post p's relation for index document i. A post id
// longer than maxPlainID bytes is replaced by its SHA-256.
func relationID(p, i string) string {
	return short(p, maxPlainID) + "_" + i
}

// short is id, or its SHA-256 in base64 (43 bytes) when it has more than limit bytes.
func short(id string, limit int) string {
	if len(id) <= limit {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// indexID is the id of an author's n-th index document, from 1: "00001".
// n is at most maxIndexDocuments: longer ids would not sort in the order of
// their creation.
func indexID(n int) string { return fmt.Sprintf("%05d", n) }

// postJobID is the id of the job that reconciles post p: "post:4fGh".
func postJobID(p string) string { return "post:" + short(p, 1000) }

// indexJobID is the id of the job that brings the relations of index document
// i of author u up to date: "index:alice:00001".
func indexJobID(u, i string) string { return "index:" + short(u, 1000) + ":" + i }

// purgeJobID is the id of the job that purges account u, always hashed: it
// stays when u is nowhere else. "purge:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg".
func purgeJobID(u string) string { return "purge:" + short(u, 0) }

// profileJobID is the id of the job that rewrites the author fields of u's
// posts: "profile:ada".
func profileJobID(u string) string { return "profile:" + short(u, 1000) }
