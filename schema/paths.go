package schema

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/schema/names"
)

// User returns users/{u}.
func (d *Database) User(u string) *firestore.DocumentRef {
	return d.Client.Collection(d.Config.Collections().Users).Doc(u)
}

// Follower returns users/{u}/followers/{f}, the follower document: the truth.
func (d *Database) Follower(u, f string) *firestore.DocumentRef {
	return d.User(u).Collection(d.Config.Collections().Followers).Doc(f)
}

// Edge returns users/{f}/following/{u}.
func (d *Database) Edge(u, f string) *firestore.DocumentRef {
	return d.User(f).Collection(names.Following).Doc(u)
}

// Block returns users/{u}/blocked/{f}: f may not follow u.
func (d *Database) Block(u, f string) *firestore.DocumentRef {
	return d.User(u).Collection(names.Blocked).Doc(f)
}

// Timeline returns users/{r}/timeline, which package timelines keeps.
func (d *Database) Timeline(r string) *firestore.CollectionRef {
	return d.User(r).Collection(names.Timeline)
}

// Decided returns users/{r}/settings/feed. Package readers decodes it.
func (d *Database) Decided(r string) *firestore.DocumentRef {
	return d.User(r).Collection(names.ReaderSettings).Doc(names.ReaderSettingsFeed)
}

// LastRead returns users/{r}/settings/read: the position up to which r has read their timeline. Only the
// function Feed reads it, and no function gets its events.
func (d *Database) LastRead(r string) *firestore.DocumentRef {
	return d.User(r).Collection(names.ReaderSettings).Doc("read")
}

// HiddenPost returns users/{r}/hidden/{p}: r hides p.
func (d *Database) HiddenPost(r, p string) *firestore.DocumentRef {
	return d.User(r).Collection(names.HiddenPosts).Doc(p)
}

// Hides returns _hides/{p}: some readers hide p.
func (d *Database) Hides(p string) *firestore.DocumentRef {
	return d.Client.Collection(names.Hides).Doc(p)
}

// Comment returns posts/{p}/comments/{c}.
func (d *Database) Comment(p, c string) *firestore.DocumentRef {
	return d.Post(p).Collection(names.Comments).Doc(c)
}

// Like returns posts/{p}/likes/{u}: u likes p.
func (d *Database) Like(p, u string) *firestore.DocumentRef {
	return d.Post(p).Collection(names.Likes).Doc(u)
}

// Notification returns users/{u}/notifications/{verb}.{object}, such as like.4fGh.
func (d *Database) Notification(u, verb, object string) *firestore.DocumentRef {
	return d.User(u).Collection(names.Notifications).Doc(verb + "." + object)
}

// NotificationOf is Notification for an object that is an account. The document may outlive the account for a while, so
// its id has a hash.
func (d *Database) NotificationOf(u, verb, account string) *firestore.DocumentRef {
	return d.Notification(u, verb, hashOf(account))
}

// IndexDocuments returns users/{u}/followers_index.
func (d *Database) IndexDocuments(u string) *firestore.CollectionRef {
	return d.User(u).Collection(names.FollowersIndex)
}

// Post returns posts/{p}.
func (d *Database) Post(p string) *firestore.DocumentRef {
	return d.Client.Collection(d.Config.Collections().Posts).Doc(p)
}

// Relations returns _relations.
func (d *Database) Relations() *firestore.CollectionRef {
	return d.Client.Collection(names.Relations)
}

// Relation returns _relations/{p}_{i}, e.g. _relations/4fGh_00001.
func (d *Database) Relation(p, i string) *firestore.DocumentRef {
	return d.Relations().Doc(RelationID(p, i))
}

// RelationID returns the id of post p's relation for index document i. The SHA-256
// replaces some post ids: see standsForItself.
func RelationID(p, i string) string {
	if standsForItself(p) {
		return p + "_" + i
	}
	return strings.ReplaceAll(hashOf(p), "_", ".") + "_" + i
}

// standsForItself reports whether relation ids contain this post id unhashed. Clients choose post ids. A post
// id must not produce the name of another post's relation, or a name that sorts between the relations of a
// post. So these ids are hashed: ids above MaxPlainID bytes, ids as long as a hash, and ids with a digit after
// an underscore. A hash in a relation id has no underscore.
func standsForItself(p string) bool {
	if len(p) > MaxPlainID || len(p) == hashBytes {
		return false
	}
	for i := 1; i < len(p); i++ {
		if p[i-1] == '_' && p[i] >= '0' && p[i] <= '9' {
			return false
		}
	}
	return true
}

// short returns id, or its hash if id has more than 1,000 bytes. It also hashes ids as long as a hash, so that
// no id equals the hash of another. It also hashes ids with "~", which separates a post from a range. So no
// job id of a post x~00251- begins like the job ids of post x.
func short(id string) string {
	if len(id) <= 1000 && len(id) != hashBytes && !strings.Contains(id, "~") {
		return id
	}
	return hashOf(id)
}

// hashBytes is the length of the result of hashOf.
const hashBytes = 43

// hashOf returns the SHA-256 of id in base64.
func hashOf(id string) string {
	sum := sha256.Sum256([]byte(id))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// IndexID returns the id of an author's n-th index document, from 1: "00001". n is at
// most MaxIndexDocuments: longer ids would not sort in the order of creation.
func IndexID(n int) string { return fmt.Sprintf("%05d", n) }

// PostJobs returns the prefix of the ids of the jobs that reconcile post p: "post:4fGh~". Job ids of other
// posts do not have this prefix.
func PostJobs(p string) string { return "post:" + short(p) + "~" }

// PostJobID returns the id of the job that reconciles range r of the relations of post p. Examples:
// "post:4fGh~00001-00250", "post:4fGh~00251-".
func PostJobID(p, r string) string { return PostJobs(p) + r }

// TimelinePostJobID returns the id of the job that brings post p to timelines:
// "timeline:4fGh".
func TimelinePostJobID(p string) string { return "timeline:" + short(p) }

// TimelineEditJobID returns the id of the job that changes the entries of post p: "edit:4fGh".
func TimelineEditJobID(p string) string { return "edit:" + short(p) }

// TimelineHideJobID returns the id of the job that removes from reader r's timeline what r hides. The id does
// not contain r.
func TimelineHideJobID(r string) string { return "hide:" + hashOf(r) }

// TimelineReaderJobID returns the id of the job that applies reader r's decisions to r's timeline. The id does
// not contain r.
func TimelineReaderJobID(r string) string { return "reader:" + hashOf(r) }

// LiftJobID returns the id of the job that lifts post p for account a's followers. The id contains neither.
func LiftJobID(p, a string) string { return "lift:" + hashOf(p+"/"+a) }

// CommentsJobID returns the id of the job that deletes the comments on post p, and its likes: "comments:4fGh".
func CommentsJobID(p string) string { return "comments:" + short(p) }

// TallyJobID returns the id of the job that counts one number or notification. The id contains neither account
// nor post.
func TallyJobID(of ...string) string { return "tally:" + hashOf(strings.Join(of, "/")) }

// SendJobs returns the prefix of the ids of the jobs that bring post p to readers by the app's own deliveries:
// "send:4fGh~".
func SendJobs(p string) string { return "send:" + short(p) + "~" }

// SendJobID returns the id of the job that brings post p to readers by one of the app's own deliveries:
// "send:4fGh~mail".
func SendJobID(p, delivery string) string { return SendJobs(p) + delivery }

// LaterJobID returns the id of the job that later does a function's work for an event with these ids. The job
// id contains none of them.
func LaterJobID(function string, ids ...string) string {
	return "later:" + hashOf(function+"/"+strings.Join(ids, "/"))
}

// TimelineFollowJobID returns the id of the job that brings audience a's posts to reader r, or removes them:
// "entries:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg". The job may outlive both accounts for a while, so its
// id contains neither.
func TimelineFollowJobID(a, r string) string { return "entries:" + hashOf(a+"/"+r) }

// IndexJobID returns the id of the job that updates the relations of author u's index
// document i: "index:alice:00001".
func IndexJobID(u, i string) string { return "index:" + short(u) + ":" + i }

// DamageJobID returns the id of the job that reports a damaged document, by its path:
// "index:alice:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg". author is the author whose repair mends the
// document. The id has the prefix of the author's index jobs, so that the author's purge also deletes this
// job.
func DamageJobID(author, path string) string { return IndexJobID(author, hashOf(path)) }

// PurgeJobID returns the id of the job that purges the account with this tombstone:
// "purge:n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg". The job outlives the account for a while, so its id
// does not contain the account's id. For a group with a long id, the job id contains the hash of that id.
func PurgeJobID(tombstone string) string {
	if len(tombstone) > 1000 {
		tombstone = hashOf(tombstone)
	}
	return "purge:" + tombstone
}

// Purging returns _purging/{u}, the mark of a purge that is under way, or has just ended. Rules compute its path, so its
// id is the account's id.
func (d *Database) Purging(u string) *firestore.DocumentRef {
	return d.Client.Collection(names.Purging).Doc(u)
}

// IsPurging reports whether a mark exists, of a purge under way: its end adds the time until which rules heed the mark.
func IsPurging(mark *firestore.DocumentSnapshot) bool {
	_, ended := FieldsOf(mark, FieldExpireAt)[FieldExpireAt].(time.Time)
	return mark.Exists() && !ended
}

// Tombstone returns _tombstones/{id}, where id is a TombstoneID.
func (d *Database) Tombstone(id string) *firestore.DocumentRef {
	return d.Client.Collection(names.Tombstones).Doc(id)
}

// TombstoneID returns the id of u's tombstone, an empty document that marks u as purged. Without the key the
// id reveals nothing, so the tombstone may stay for ever. No shorter time would do: a phone may be offline for
// longer.
//
// The id is the HMAC-SHA-256 of u in base64. The tombstone of a group has the group's own id: the client that
// deletes a group writes the tombstone, and does not have the key. So no hash may look like a group's id.
func (d *Database) TombstoneID(u string) string {
	if IsGroup(u) {
		return u
	}
	id := d.keyed(u)
	if IsGroup(id) {
		id = "." + id
	}
	return id
}

// OwnerOf returns the Owner of author u's jobs, also of a group's: jobs of different owners take turns. It
// distinguishes authors well enough, but identifies no author: many authors share a value. It depends on the key of
// tombstones: nobody can choose the id of a group so that its jobs delay those of another account.
func (d *Database) OwnerOf(u string) string {
	if u == "" {
		return ""
	}
	return d.keyed("owner " + u)[:3]
}

// keyed returns the HMAC-SHA-256 of a text, in base64, with the key of tombstones.
func (d *Database) keyed(text string) string {
	mac := hmac.New(sha256.New, []byte(d.Config.TombstoneKey))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// MarkOf returns three characters of the hash of an id. They tell some ids apart, and identify nobody: many ids share a
// mark. Anybody can compute the mark of an id, and make another id with the same mark.
func MarkOf(id string) string { return hashOf(id)[:3] }

// ProfileJobID returns the id of the job that rewrites the author fields of u's posts:
// "profile:ada".
func ProfileJobID(u string) string { return "profile:" + short(u) }

// IndexNumber returns n of IndexID(n).
func IndexNumber(id string) (n int, ok bool) {
	n, err := strconv.Atoi(id)
	return n, err == nil && n > 0 && IndexID(n) == id
}

// NewestFirst orders documents by createdAt, newest first. It leaves out documents whose createdAt is not a
// time.
func NewestFirst(q firestore.Query) firestore.Query {
	return q.Where(FieldCreatedAt, "<=", LatestTime).OrderBy(FieldCreatedAt, firestore.Desc)
}
