package chaos

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
)

// clientPatience is the longest time for which a client repeats a write that waits for a lock. The
// emulator keeps the locks of a killed process for some twenty seconds. The client libraries repeat
// for ever.
const clientPatience = 3 * time.Minute

// createAccounts writes the profiles of all users, all groups, and the victims of hostile clients.
func createAccounts(ctx context.Context, client *firestore.Client, users int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	profiles := map[string]map[string]any{}
	for n := range users {
		profiles[userID(n)] = profile(userID(n))
	}
	profiles[witness] = profile(witness)
	for n := range groups + 1 {
		profiles[groupID(n)] = groupOf(userID(n % users))
	}
	for u, data := range profiles {
		group.Go(func() error { return set(ctx, client, "users/"+u, data) })
	}
	group.Go(func() error { return createVictims(ctx, client) })
	return group.Wait()
}

func profile(u string) map[string]any { return map[string]any{"name": "the account of " + u} }

// groupOf returns a group with an owner, in which members post.
func groupOf(owner string) map[string]any {
	return map[string]any{"name": "a group", "ownerId": owner, "closed": false, "post": "members"}
}

// apply makes the write of op, as a client does. It may be repeated.
func apply(ctx context.Context, client *firestore.Client, op Op) error {
	ref := client.Doc(op.document())
	set := func(path string, value any) error {
		_, err := ref.Update(ctx, []firestore.Update{{Path: path, Value: value}})
		return err
	}
	var err error
	switch op.Kind {
	case Follow, Block:
		data := now()
		if !op.At.IsZero() {
			data["createdAt"] = op.At
		}
		_, err = ref.Set(ctx, data)
	case Request:
		_, err = ref.Set(ctx, requestOf(op.User))
	case Accept:
		err = client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
			return errors.Join(tx.Delete(ref), tx.Set(client.Doc(followOf(op.User, op.Author)), now()))
		})
	case CreatePost:
		_, err = ref.Set(ctx, op.post())
	case Redate:
		err = set("createdAt", op.createdAt(time.Now()))
	case Remood:
		err = set("mood", moods[op.Text])
	case Return:
		err = comeBack(ctx, client, op.User)
	case Overwrite:
		err = overwrite(ctx, ref, op)
	case Reword:
		err = set("text", op.Text)
	case Rekind:
		err = set("kind", valueOf(op.PostKind))
	case Decide, See, Read, HidePost:
		_, err = ref.Set(ctx, op.decision(), firestore.MergeAll)
	case Comment, Like:
		err = underPost(ctx, client, op)
	case Reassign:
		updates := []firestore.Update{{Path: "userId", Value: op.NewAuthor}}
		if op.Audience != "" {
			updates = append(updates, firestore.Update{Path: "audience", Value: op.Audience})
		}
		_, err = ref.Update(ctx, updates)
	case Readdress:
		err = set("audience", op.Audience)
	case Direct:
		if len(op.To) > 0 {
			err = set("to", op.To)
		} else {
			err = set("to", firestore.Delete)
		}
	case Hide, Show:
		err = set("hidden", op.Kind == Hide)
	case Rename:
		err = set("name", op.Text)
	case Close, Open:
		err = set("closed", op.Kind == Close)
	case Unfollow, Unblock, DeletePost, DeleteAccount, Withdraw, Decline, UnhidePost, Unlike, Uncomment:
		if op.Kind == DeleteAccount && schema.IsGroup(op.User) {
			return disband(ctx, client, ref)
		}
		_, err = ref.Delete(ctx)
	case Forbidden:
		return fmt.Errorf("%s goes through the rules", op.Kind) // forbidden.try writes it
	}
	return err
}

// post returns the document that CreatePost writes. It refers to the accounts that it names.
func (o Op) post() map[string]any {
	post := map[string]any{"userId": o.Author, "createdAt": o.createdAt(time.Now()), "text": o.Text}
	if !o.Old {
		post["audience"], post["hidden"] = o.Audience, false
	}
	if len(o.To) > 0 {
		post["to"], post["refs"] = o.To, o.To
	}
	if o.PostKind != "" {
		post["kind"] = o.PostKind
	}
	return post
}

// disband deletes a group. The group's tombstone keeps others from using its id.
func disband(ctx context.Context, client *firestore.Client, group *firestore.DocumentRef) error {
	return client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		return errors.Join(tx.Delete(group), tx.Set(client.Doc("_tombstones/"+group.ID), map[string]any{}))
	})
}

// overwrite sets a user document as a whole.
func overwrite(ctx context.Context, ref *firestore.DocumentRef, op Op) error {
	data := profile(op.User)
	if op.Text == overwrites[1] {
		doc, err := ref.Get(ctx)
		if err != nil && status.Code(err) != codes.NotFound {
			return err
		}
		var has struct {
			IDs []string `firestore:"followers_index"`
		}
		if err := doc.DataTo(&has); doc.Exists() && err != nil {
			return err
		}
		if before := len(has.IDs) - 1; before > 0 {
			data["followers_index"], data["latestFollowersIndex"] = has.IDs[:before], has.IDs[before-1]
		}
	}
	_, err := ref.Set(ctx, data)
	return err
}

// applyPatiently repeats apply until the write is acknowledged.
func applyPatiently(ctx context.Context, client *firestore.Client, op Op) error {
	deadline := time.Now().Add(clientPatience)
	for {
		attempt, cancel := context.WithTimeout(ctx, clientPatience/3)
		err := apply(attempt, client, op)
		cancel()
		switch code := status.Code(err); {
		case err == nil:
			return nil
		case code == codes.NotFound && op.Spared:
			return nil // the purge was earlier
		case ctx.Err() != nil || time.Now().After(deadline) || !retryable(err):
			return fmt.Errorf("%v: %w", op, err)
		}
	}
}

// retryable reports whether clients repeat a call that ended with err.
func retryable(err error) bool {
	switch status.Code(err) {
	case codes.Aborted, codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted:
		return true
	default:
		return errors.Is(err, context.DeadlineExceeded)
	}
}

// applyAll applies the operations, each after its predecessors. It has at most atOnce under way, and
// begins perSecond in a second. After each, it calls applied with the number of operations so far.
func applyAll(ctx context.Context, client *firestore.Client, forbidden func(context.Context, Op) error, ops []Op, atOnce, perSecond int, applied func(n int64) error) error {
	before := predecessors(ops)
	done := make([]chan struct{}, len(ops))
	for n := range done {
		done[n] = make(chan struct{})
	}
	var count atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	// Operations begin in their order, so the predecessors of each have ended or are under way.
	group.SetLimit(atOnce)
	pace := time.NewTicker(time.Second / time.Duration(perSecond))
	defer pace.Stop()
	for n, op := range ops {
		select {
		case <-pace.C:
		case <-ctx.Done():
			return group.Wait()
		}
		group.Go(func() error {
			for _, p := range before[n] {
				select {
				case <-done[p]:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			apply := func(ctx context.Context, op Op) error { return applyPatiently(ctx, client, op) }
			if op.Kind == Forbidden {
				apply = forbidden
			}
			if err := apply(ctx, op); err != nil {
				return err
			}
			close(done[n])
			return applied(count.Add(1))
		})
	}
	return group.Wait()
}
