package relations

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// buried are those who are about to join u's followers and whose account, or
// u's, has been purged: an event that comes late, or a client that was offline,
// must not bring them back. Their follower documents are to be deleted.
//
// It is read in the members transaction: either that commits before the purge
// job is created, and then the purge finds the mirror, or it sees the job.
func (x *Index) buried(tx *firestore.Transaction, u string, user *firestore.DocumentSnapshot, follows []follow) (map[string]bool, error) {
	var joining []string
	for _, f := range follows {
		if f.joins() {
			joining = append(joining, f.id)
		}
	}
	if len(joining) == 0 {
		return nil, nil //nolint:nilnil // an empty set
	}
	suspects := joining
	if !hasProfile(user) {
		suspects = append([]string{u}, joining...)
	}
	dead, err := x.purgedOf(tx, suspects)
	if err != nil {
		return nil, err
	}
	gone := map[string]bool{}
	for _, f := range joining {
		if dead[u] || dead[f] {
			gone[f] = true
		}
	}
	return gone, nil
}

// purgedOf are those of users who have a tombstone and have not come back. It
// costs a read for each, and another for each that has a tombstone.
func (x *Index) purgedOf(tx *firestore.Transaction, users []string) (map[string]bool, error) {
	refs := make([]*firestore.DocumentRef, len(users))
	for n, u := range users {
		refs[n] = x.engine.Ref(purgeJobID(u))
	}
	tombstones, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	purged := map[string]bool{}
	var accounts []*firestore.DocumentRef
	for n, doc := range tombstones {
		// A purge that a person canceled is none.
		if doc.Exists() && doc.Data()["state"] != string(chunker.Canceled) {
			accounts = append(accounts, x.user(users[n]))
		}
	}
	if len(accounts) == 0 {
		return purged, nil
	}
	snaps, err := tx.GetAll(accounts)
	if err != nil {
		return nil, err
	}
	for _, snap := range snaps {
		if !hasProfile(snap) {
			purged[snap.Ref.ID] = true
		}
	}
	return purged, nil
}
