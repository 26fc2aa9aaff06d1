package chaos

import (
	"context"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/repair"
	"example.com/relationindex/audit/sample"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/clients"
)

// deliver turns timelines off, or on again. Posts written while they are off have no entries. When
// timelines are on again, the command repair-timelines adds the entries.
func (r *run) deliver(ctx context.Context, on bool) error {
	cfg := r.Functions
	if !on {
		cfg = withoutTimelines(cfg)
	}
	if err := r.system.Reconfigure(ctx, cfg); err != nil {
		return fmt.Errorf("timelines on %t: %w", on, err)
	}
	if !on || r.Unrepaired {
		return nil
	}
	index, err := social.Open(r.system.Client(), r.Functions)
	if err != nil {
		return err
	}
	var all []entries.Problem
	for range mostRepairs {
		all = nil
		checked, err := entries.Repair(ctx, index.Timelines, entries.Options{Report: func(p entries.Problem) { all = append(all, p) }})
		if err != nil {
			return fmt.Errorf("repair-timelines: %w", err)
		}
		if checked.Unrepaired == 0 {
			return r.rest(ctx)
		}
	}
	return fmt.Errorf("repair-timelines, %d times: %v", mostRepairs, all)
}

// mostRepairs is the number of tries of a repair. A repair asks for another while a document keeps
// changing.
const mostRepairs = 3

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
		r.found.count("documents that sampling mended", int(done.Found+wrong))
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
		accounts = append(accounts, index.DB.User(clients.UserID(n)))
	}
	for n := range clients.Groups + 1 {
		accounts = append(accounts, index.DB.User(clients.GroupID(n)))
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
