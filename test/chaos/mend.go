package chaos

import (
	"context"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/sample"
	"example.com/relationindex/social"
)

const (
	// mostRounds is the most checks of all accounts: events of a round's repairs get lost, too.
	mostRounds = 8
	// unlimited is more reads than a round needs.
	unlimited = 1 << 40
)

// mend checks all accounts, as verify --sample --repair does, until it finds nothing. It checks
// deleted accounts by name, since sampling does not reach them. Nothing may be in flight.
func (r *run) mend(ctx context.Context) error {
	client := r.system.Client()
	index, err := social.Open(client, r.Functions)
	if err != nil {
		return err
	}
	for range mostRounds {
		done, err := sample.Run(ctx, index, sample.Options{
			Reads: unlimited, Repair: true,
			Wait: func(context.Context, time.Duration) error { return nil }, // nothing is in flight
		})
		if err != nil {
			return err
		}
		wrong, err := r.mendDeleted(ctx, index)
		if err != nil {
			return err
		}
		r.mended += done.Found + wrong
		if err := r.system.Idle(ctx); err != nil {
			return err
		}
		if done.Found+done.Busy+done.Left+wrong == 0 {
			return nil
		}
	}
	r.found.report("sampling finds something in each of %d rounds", mostRounds)
	return nil
}

// mendDeleted repairs deleted accounts, and returns the number of their wrong documents.
func (r *run) mendDeleted(ctx context.Context, index *social.System) (wrong int64, err error) {
	var accounts []*firestore.DocumentRef
	for n := range r.Workload.Users {
		accounts = append(accounts, index.DB.User(userID(n)))
	}
	for n := range groups + 1 {
		accounts = append(accounts, index.DB.User(groupID(n)))
	}
	docs, err := index.DB.Client.GetAll(ctx, accounts)
	if err != nil {
		return 0, err
	}
	for _, doc := range docs {
		if doc.Exists() {
			continue
		}
		repaired, err := repair.New(index).Repair(ctx, doc.Ref.ID, nil, nil)
		if err != nil {
			return wrong, err
		}
		wrong += repaired.Before.Violations
	}
	return wrong, nil
}
