package chaos

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit/clients"
)

// clientPatience is the longest time for which a client repeats a write that waits for a lock. The
// emulator keeps the locks of a killed process for some twenty seconds. The client libraries repeat
// for ever.
const clientPatience = 3 * time.Minute

// predecessors returns, for each operation, the operations that must be acknowledged before it is
// applied. These are the last one on its subject; for a comment and a like, the last one on the post;
// for the deletion of an account, the last one on each subject whose operations named the account. An
// operation that names a returned account comes after the return.
func predecessors(ops []clients.Op) [][]int {
	last := map[string]int{}              // subject → operation
	naming := map[string]map[string]int{} // account → subject → operation
	back := map[string]int{}              // account → its return
	before := make([][]int, len(ops))
	for n, op := range ops {
		subject := op.Subject()
		if p, ok := last[subject]; ok {
			before[n] = append(before[n], p)
		}
		last[subject] = n
		if p, ok := last["posts/"+op.Post]; ok && (op.Kind == clients.Comment || op.Kind == clients.Like) {
			before[n] = append(before[n], p)
		}
		if op.Kind == clients.DeleteAccount {
			for _, p := range naming[op.User] {
				before[n] = append(before[n], p)
			}
		}
		for _, u := range op.Accounts() {
			if p, ok := back[u]; ok {
				before[n] = append(before[n], p)
			}
			if naming[u] == nil {
				naming[u] = map[string]int{}
			}
			naming[u][subject] = n
		}
		if op.Kind == clients.Return {
			back[op.User] = n
		}
	}
	return before
}

// writers are the clients that apply operations: open ones, and under the rules those that try what the rules must reject.
type writers struct {
	open, underRules *firestore.Client
	report           func(format string, args ...any)
	refused          atomic.Int64
}

// patiently repeats the write of an operation until it is acknowledged, or rejected if it must be.
func (w *writers) patiently(ctx context.Context, op clients.Op) error {
	deadline := time.Now().Add(clientPatience)
	for {
		attempt, cancel := context.WithTimeout(ctx, clientPatience/3)
		done, err := w.once(attempt, op)
		cancel()
		switch {
		case done:
			return nil
		case ctx.Err() != nil || time.Now().After(deadline) || !retryable(err):
			return fmt.Errorf("%v: %w", op, err)
		}
	}
}

// once makes the write of an operation.
func (w *writers) once(ctx context.Context, op clients.Op) (done bool, err error) {
	if op.Kind != clients.Forbidden {
		err = op.Apply(ctx, w.open)
		return err == nil || op.Spared && status.Code(err) == codes.NotFound, err // spared: the purge was earlier
	}
	known, err := op.Try(wire.As(ctx, unsigned(op.User)), w.underRules)
	switch code := status.Code(err); {
	case !known:
		w.report("%v: nobody knows how", op)
	case err == nil:
		w.report("%v: the rules let it through", op)
	case code == codes.PermissionDenied, code == codes.NotFound && op.Text == clients.CreatedAtMoved:
		w.refused.Add(1)
	default:
		return false, err
	}
	return true, nil
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

// unsigned returns an ID token as the emulator accepts it.
func unsigned(uid string) string {
	part := func(v map[string]any) string {
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // strings and numbers can always be encoded
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	at := time.Now().Unix()
	return part(map[string]any{"alg": "none", "typ": "JWT"}) + "." + part(map[string]any{
		"iss": "https://securetoken.google.com/demo-chaos", "aud": "demo-chaos", "sub": uid, "user_id": uid,
		"iat": at - 60, "auth_time": at - 60, "exp": at + 3600, "firebase": map[string]any{"sign_in_provider": "custom"},
	}) + "."
}

// all applies the operations, each after its predecessors. It has at most atOnce under way, and
// begins perSecond in a second. After each, it calls applied with the number of operations so far.
func (w *writers) all(ctx context.Context, ops []clients.Op, atOnce, perSecond int, applied func(n int64) error) error {
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
			if err := w.patiently(ctx, op); err != nil {
				return err
			}
			close(done[n])
			return applied(count.Add(1))
		})
	}
	return group.Wait()
}
