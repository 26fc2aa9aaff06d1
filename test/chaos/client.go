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
)

// clientPatience is how long a client repeats a write that a lock holds up. The
// emulator keeps the locks of a killed process for some twenty seconds; the
// libraries of clients repeat for ever.
const clientPatience = 3 * time.Minute

// createAccounts writes the profiles of all users.
func createAccounts(ctx context.Context, client *firestore.Client, users int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(16)
	for n := range users {
		group.Go(func() error {
			_, err := client.Collection("users").Doc(userID(n)).Set(ctx, profile(userID(n)))
			return err
		})
	}
	return group.Wait()
}

func profile(u string) map[string]any { return map[string]any{"name": "the account of " + u} }

// apply makes the write of op, as a client would. It may be repeated.
func apply(ctx context.Context, client *firestore.Client, op Op) error {
	ref := client.Doc(op.document())
	set := func(path string, value any) error {
		_, err := ref.Update(ctx, []firestore.Update{{Path: path, Value: value}})
		return err
	}
	var err error
	switch op.Kind {
	case Follow, Block:
		_, err = ref.Set(ctx, map[string]any{"createdAt": firestore.ServerTimestamp})
	case CreatePost:
		_, err = ref.Set(ctx, map[string]any{"userId": op.Author, "createdAt": op.At, "text": op.Text})
	case Redate:
		err = set("createdAt", op.At)
	case Remood:
		err = set("mood", moods[op.Text])
	case Return:
		if err := untilPurge(ctx, client, op); err != nil {
			return err
		}
		_, err = ref.Set(ctx, profile(op.User), firestore.MergeAll)
	case Overwrite:
		err = overwrite(ctx, ref, op)
	case Reword:
		err = set("text", op.Text)
	case Reassign:
		err = set("userId", op.NewAuthor)
	case Unfollow, Unblock, DeletePost, DeleteAccount:
		_, err = ref.Delete(ctx)
	case Forbidden:
		return fmt.Errorf("%s goes through the rules", op.Kind) // tryForbidden makes it
	}
	return err
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
			return nil // the purge was there first
		case ctx.Err() != nil || time.Now().After(deadline),
			code != codes.Aborted && code != codes.Unavailable && code != codes.DeadlineExceeded && !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("%v: %w", op, err)
		}
	}
}

// applyAll applies the operations, at most atOnce at a time and perSecond in a
// second, each after its predecessors, and calls applied after each with how
// many have been.
func applyAll(ctx context.Context, client *firestore.Client, forbidden func(context.Context, Op) error, ops []Op, atOnce, perSecond int, applied func(n int64) error) error {
	before := predecessors(ops)
	done := make([]chan struct{}, len(ops))
	for n := range done {
		done[n] = make(chan struct{})
	}
	var count atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	// They are begun in their order, so what one waits for is done or under way.
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
