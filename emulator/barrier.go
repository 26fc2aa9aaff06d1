package emulator

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"sync"

	"github.com/googleapis/google-cloudevents-go/cloud/firestoredata"
)

// barrierProject holds only the documents of barriers.
const barrierProject = "demo-broker-barrier"

// barrierSlots is the number of barrier documents: concurrent callers seldom share one.
const barrierSlots = 64

var barrierTrigger = Trigger{
	Name:      "barrier",
	EventType: "google.cloud.firestore.document.v1.written",
	Document:  "barrier/{slot}",
}

// barrier checks whether the emulator still holds events. The emulator sends events one at
// a time, in the order of their commits, over all projects. So when the event of our own
// write arrives, the events of all earlier commits have arrived.
type barrier struct {
	firestore *rest

	mu      sync.Mutex
	tokens  int
	waiting map[string]chan struct{} // by token
}

func newBarrier(firestore *rest) *barrier {
	return &barrier{firestore: firestore, waiting: make(map[string]chan struct{})}
}

// cross returns when the events of all commits before the call have been accepted, or with
// the error of ctx. ctx must also end with the emulator.
func (b *barrier) cross(ctx context.Context) error {
	slot, token, came := b.enter()
	defer b.leave(token)
	if err := b.firestore.put(ctx, barrierProject, "barrier/"+strconv.Itoa(slot), "token", token); err != nil {
		err = fmt.Errorf("write the barrier: %w", err)
		if _, noAnswer := errors.AsType[*url.Error](err); noAnswer && ctx.Err() == nil {
			return fmt.Errorf("%w: %w", ErrEnded, err)
		}
		return err
	}
	select {
	case <-came:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the barrier: %w", context.Cause(ctx))
	}
}

func (b *barrier) enter() (slot int, token string, came <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens++
	token = strconv.Itoa(b.tokens) // always new: a write that changes nothing has no event
	c := make(chan struct{})
	b.waiting[token] = c
	return b.tokens % barrierSlots, token, c
}

func (b *barrier) leave(token string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, token)
}

// arrived handles the event of a barrier. It ignores a token without a waiting caller.
func (b *barrier) arrived(data *firestoredata.DocumentEventData) {
	token := data.GetValue().GetFields()["token"].GetStringValue()
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := b.waiting[token]; c != nil {
		close(c)
		delete(b.waiting, token)
	}
}
