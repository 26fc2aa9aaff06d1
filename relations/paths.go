package relations

import (
	"crypto/hmac"
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

// relationID is the id of post p's relation for index document i. In place of
// some post ids stands their SHA-256: see standsForItself.
func relationID(p, i string) string {
	if standsForItself(p) {
		return p + "_" + i
	}
	return strings.ReplaceAll(hashOf(p), "_", ".") + "_" + i
}

// standsForItself says that a post id is part of its relations' ids as it is. Clients
// choose post ids, so another's must not make the name of a relation, nor one that
// stands between the relations of a post. So ids as long as a hash are hashed too,
// and those with a digit after an underscore; and no hash has an underscore.
func standsForItself(p string) bool {
	if len(p) > maxPlainID || len(p) == hashBytes {
		return false
	}
	for i := 1; i < len(p); i++ {
		if p[i-1] == '_' && p[i] >= '0' && p[i] <= '9' {
			return false
		}
	}
	return true
}

// short is id, or its hash when it has more than limit bytes. Ids as long as a hash
// are hashed too, so that none stands for another; and those with the sign between a
// job and its lane: post x~07 is not lane 7 of post x.
func short(id string, limit int) string {
	if len(id) <= limit && len(id) != hashBytes && !strings.Contains(id, "~") {
		return id
	}
	return hashOf(id)
}

// hashBytes is the length of hashOf.
const hashBytes = 43

// hashOf is the SHA-256 of id in base64.
func hashOf(id string) string {
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

// purgeJobID is the id of the job that purges an account with this tombstone: it
// stays for a while when the account is nowhere else. "purge:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg".
func purgeJobID(tombstone string) string { return "purge:" + tombstone }

// _tombstones/{HMAC-SHA-256 of the account's id in base64}
func (x *Index) tombstone(id string) *firestore.DocumentRef {
	return x.client.Collection(Tombstones).Doc(id)
}

// tombstonesOf are the ids of u's tombstones, one for each key, the newest first.
func (x *Index) tombstonesOf(u string) []string {
	ids := make([]string, len(x.opts.TombstoneKeys))
	for n, key := range x.opts.TombstoneKeys {
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(u))
		ids[n] = base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
	}
	return ids
}

// ownerOf is author u in their jobs, for the turns that these take. It tells authors
// apart well enough, and is too short to say who one is: each is that of many.
func ownerOf(u string) string {
	if u == "" {
		return ""
	}
	return hashOf(u)[:3]
}

// profileJobID is the id of the job that rewrites the author fields of u's
// posts: "profile:ada".
func profileJobID(u string) string { return "profile:" + short(u, 1000) }
