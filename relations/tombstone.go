package relations

import (
	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
)

// buried are those who are about to join u's followers and whose account, or
// u's, has been purged: an event that comes late, or a client that was offline,
// must not bring them back. Their follower documents are to be deleted. early
// says that nobody may join yet: u is back in the middle of its purge.
//
// It is read in the members transaction: either that commits before the purge
// job is created, and then the purge finds the mirror, or it sees the job.
func (x *Index) buried(tx *firestore.Transaction, u string, follows []follow) (gone map[string]bool, early bool, err error) {
	users := []string{u}
	for _, f := range follows {
		if f.joins() {
			users = append(users, f.id)
		}
	}
	gone = map[string]bool{}
	if len(users) == 1 {
		return gone, false, nil
	}
	purges, err := x.purgesOf(tx, users)
	if err != nil {
		return nil, false, err
	}
	for _, f := range users[1:] {
		if purges[u].buries() || purges[f].buries() {
			gone[f] = true
		}
	}
	return gone, purges[u].atGraph(), nil
}

// purge is the job that purges, or has purged, an account.
type purge struct {
	job  chunker.Job // with State, Phase and Counts alone
	back bool        // the account has a profile
}

// buries reports whether the account is gone. A purge that a person canceled is none.
func (p purge) buries() bool { return p.job.State != "" && p.job.State != chunker.Canceled && !p.back }

// atGraph reports whether the account is back, and its purge has still to take
// what there was of it out of the graph. One that has failed waits for a person.
func (p purge) atGraph() bool {
	switch p.job.State {
	case chunker.Queued, chunker.Running:
		return p.back && p.job.Phase < graphPhases
	case chunker.Failed:
		return p.back && p.job.Phase < graphPhases && len(p.job.Counts) > 0
	default:
		return false
	}
}

// purgesOf are the purges of users. It costs a read for each user, and another
// for each that has one.
func (x *Index) purgesOf(tx *firestore.Transaction, users []string) (map[string]purge, error) {
	refs := make([]*firestore.DocumentRef, len(users))
	for n, u := range users {
		refs[n] = x.engine.Ref(purgeJobID(u))
	}
	jobs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	purges := map[string]purge{}
	var accounts []*firestore.DocumentRef
	for n, doc := range jobs {
		if doc.Exists() {
			purges[users[n]] = purge{job: x.engine.Show(doc)}
			accounts = append(accounts, x.user(users[n]))
		}
	}
	if len(accounts) == 0 {
		return purges, nil
	}
	snaps, err := tx.GetAll(accounts)
	if err != nil {
		return nil, err
	}
	for _, snap := range snaps {
		p := purges[snap.Ref.ID]
		p.back = hasProfile(snap)
		purges[snap.Ref.ID] = p
	}
	return purges, nil
}
