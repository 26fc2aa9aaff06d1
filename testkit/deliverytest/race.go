package deliverytest

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// race is an event that is handled late, after something else has changed.
type race struct {
	late, since string
	before      []op // already handled
	do, then    []op
	every       int // holds at every n-th call; 0: at each
}

var races = []race{
	{"a follow", "its unfollow", some, ops(doFollow(1, 1)), ops(doUnfollow(1, 1)), 0},
	{"a follow of an author with an archive", "its unfollow", archive, ops(doFollow(1, 1)), ops(doUnfollow(1, 1)), 7},
	{"a follow", "a post", some, ops(doFollow(1, 1)), ops(doPost(9, 1, 9)), 0},
	{"a follow", "the deletion of a post", some, ops(doFollow(1, 1)), ops(doDelete(1)), 0},
	{"a follow", "the deletion of the author", some, ops(doFollow(1, 1)), ops(doLeave(author(1))), 0},
	{"an unfollow", "a new follow", slices.Concat(some, few), ops(doUnfollow(1, 1)), ops(doFollow(1, 1)), 0},
	{"an unfollow of an author with an archive", "a new follow", slices.Concat(archive, few), ops(doUnfollow(1, 1)), ops(doFollow(1, 1)), 7},
	{"an unfollow", "a post", slices.Concat(some, few), ops(doUnfollow(1, 1)), ops(doPost(9, 1, 9)), 0},
	{"an unfollow", "a new author", slices.Concat(some, few, ops(doFollow(1, 2))), ops(doUnfollow(1, 1)), ops(doPost(1, 2, 1)), 0},
	{"a post", "its deletion", few, ops(doPost(1, 1, 1)), ops(doDelete(1)), 0},
	{"a post to a crowd", "its deletion", crowd, ops(doPost(1, 1, 1)), ops(doDelete(1)), 7},
	{"a post", "a follow", few, ops(doPost(1, 1, 1)), ops(doFollow(9, 1)), 0},
	{"a post", "an unfollow", few, ops(doPost(1, 1, 1)), ops(doUnfollow(1, 1)), 0},
	{"a post", "a new date", few, ops(doPost(1, 1, 1)), ops(doPost(1, 1, 9)), 0},
	{"a post", "a new author", slices.Concat(few, ops(doFollow(1, 2), doFollow(9, 2))), ops(doPost(1, 1, 1)), ops(doPost(1, 2, 1)), 0},
	{"a post", "the deletion of a reader", few, ops(doPost(1, 1, 1)), ops(doLeave(reader(1))), 3},
	{"a deletion of a post", "its return", slices.Concat(few, some), ops(doDelete(1)), ops(doPost(1, 1, 1)), 0},
	{"a post that a crowd loses", "its return", slices.Concat(crowd, some), ops(doDelete(1)), ops(doPost(1, 1, 1)), 7},

	{"a follow of a group", "a post that comes to it", ops(doPost(1, 1, 1)), ops(doJoin(1, 1)), ops(doPostTo(group(1), 1, 1, 1)), 2},
	{"a follow of a group", "a post that leaves it", ours, ops(doJoin(1, 1)), ops(doPostTo(group(2), 1, 1, 1)), 2},
	{"a follow of a group", "the deletion of the group", ours, ops(doJoin(1, 1)), ops(doLeave(group(1))), 3},
	{"a post to a group", "another group", slices.Concat(members, ops(doJoin(1, 2))), ops(doPostTo(group(1), 1, 1, 1)), ops(doPostTo(group(2), 1, 1, 1)), 0},
	{"a post to a group", "its hiding", members, ops(doPostTo(group(1), 1, 1, 1, 9)), ops(hidden(doPostTo(group(1), 1, 1, 1, 9))), 2},
	{"a post to a group", "the deletion of the group", members, ops(doPostTo(group(1), 1, 1, 1)), ops(doLeave(group(1))), 3},
	{"another group", "a follow of it", slices.Concat(members, ours), ops(doPostTo(group(2), 1, 1, 1)), ops(doJoin(9, 2)), 2},
	{"another group", "an unfollow of it", slices.Concat(members, ours, ops(doJoin(1, 2))), ops(doPostTo(group(2), 1, 1, 1)), ops(doQuit(1, 2)), 2},
	{"another group of a crowd", "the first again", slices.Concat(joined, ours, ops(doJoin(9, 2))), ops(doPostTo(group(2), 1, 1, 1)), ops(doPostTo(group(1), 1, 1, 1)), 7},
	{"a hidden post", "its return", slices.Concat(members, ours), ops(hidden(doPostTo(group(1), 1, 1, 1))), ops(doPostTo(group(1), 1, 1, 1)), 0},
	{"a post to some", "others", few, ops(doPostTo(author(1), 1, 1, 1, 1, 9)), ops(doPostTo(author(1), 1, 1, 1, 8)), 0},
	{"a follow", "a block by the author", some, ops(doFollow(9, 1)), ops(doBlock(author(1), reader(9))), 0},
	{"a post", "a block by who is named", few, ops(letter), ops(doBlock(reader(1), author(1))), 0},
	{"a post", "the end of a block by who is named", slices.Concat(few, ops(doBlock(reader(1), author(1)))), ops(letter), ops(doUnblock(reader(1), author(1))), 0},
	{"a block", "a post that names who blocks", slices.Concat(few, some), ops(doBlock(reader(1), author(1))), ops(letter), 0},
	{"a block", "its end", slices.Concat(few, ops(letter)), ops(doBlock(reader(1), author(1))), ops(doUnblock(reader(1), author(1))), 0},
	{"a block", "its end and a new follow", slices.Concat(few, ops(letter)), ops(doBlock(reader(1), author(1))), ops(doUnblock(reader(1), author(1)), doFollow(1, 1)), 0},
	{"the end of a block", "the block again", slices.Concat(letters, ops(doBlock(reader(1), author(1)))), ops(doUnblock(reader(1), author(1))), ops(doBlock(reader(1), author(1))), 3},
	{"the end of a block", "the deletion of who blocks", slices.Concat(ops(letter), ops(doBlock(reader(1), author(1)))), ops(doUnblock(reader(1), author(1))), ops(doLeave(reader(1))), 3},
	{"a post to others", "an unfollow", slices.Concat(few, ops(doPostTo(author(1), 1, 1, 1, 1))), ops(doPostTo(author(1), 1, 1, 1, 2)), ops(doUnfollow(1, 1)), 2},

	{"a follow beside another", "its unfollow", slices.Concat(some, ops(doFollow(2, 1))), ops(doFollow(1, 1)), ops(doUnfollow(1, 1)), 0},
	{"a follow beside another", "one more", slices.Concat(some, ops(doFollow(2, 1))), ops(doFollow(1, 1)), ops(doFollow(3, 1)), 0},
	{"a post", "another", slices.Concat(few, ops(doPost(1, 1, 1))), ops(doPost(2, 1, 2)), ops(doPost(3, 1, 3)), 0},
	{"a post", "the same and many others", few, ops(doPost(1, 1, 1)), slices.Concat(ops(doPost(1, 1, 1)), later), 2},
	{"an old post", "the same", slices.Concat(few, later), ops(doPost(1, 1, 1)), ops(doPost(1, 1, 1)), 0},
	{"an old post", "another", slices.Concat(few, later), ops(doPost(1, 1, 1)), ops(doPost(9, 1, 0)), 0},
	{"an old post", "a new one", slices.Concat(few, later), ops(doPost(1, 1, 1)), ops(doPost(9, 1, 9)), 0},
	{"a new date", "another", slices.Concat(few, some), ops(doPost(1, 1, 9)), ops(doPost(1, 1, 8)), 0},
}

// hold holds a process at each of its calls in turn, until the operations of then are handled.
func (r race) hold(l *teller) error {
	ctx := l.t.Context()
	return l.eachPoint("call", func(at int) (bool, error) {
		w, events, err := l.begin(ctx)
		if err != nil {
			return false, err
		}
		defer l.put(w)
		var calls atomic.Int64
		var locks transactions
		stop := 1 + int64(at-1)*int64(max(1, r.every))
		gate := testkit.NewGate(l.t, func(any) bool { return calls.Add(1) == stop })
		defer gate.Open()
		slow, err := w.process(ctx, locks.interceptor(), gate.Interceptor())
		if err != nil {
			return false, err
		}
		var left []event
		slowed := make(chan struct{})
		go func() {
			defer close(slowed)
			left, _ = slow.deliver(ctx, events...)
			slow.work(ctx)
		}()
		select {
		case <-gate.Reached():
		case <-slowed:
			return false, nil
		}
		overtook := make(chan error, 1)
		go func() { overtook <- w.handle(ctx, r.then) }()
		err = w.await(overtook, &locks, gate.Open)
		gate.Open()
		<-slowed
		// Functions' deletions have events too. The latest moment for these is now.
		return true, errors.Join(err, w.end(ctx, append(left, w.took()...)...))
	})
}

// patience is the time without progress after which a process seems to wait for a lock.
const patience = 200 * time.Millisecond

// await returns the error from ended. It opens the gate if the world seems to wait for a lock and the
// held process has an open transaction.
func (w *world) await(ended <-chan error, locks *transactions, open func()) error {
	tick := time.NewTicker(patience)
	defer tick.Stop()
	for before := w.meter.Counts(); ; {
		select {
		case err := <-ended:
			return err
		case <-tick.C:
			now := w.meter.Counts()
			if now == before && locks.open.Load() > 0 {
				open()
			}
			before = now
		}
	}
}

// transactions counts the open transactions of a process.
type transactions struct{ open atomic.Int64 }

func (c *transactions) interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		switch req := req.(type) {
		case *pb.BeginTransactionRequest:
			if err == nil {
				c.open.Add(1)
			}
		case *pb.RollbackRequest:
			c.open.Add(-1)
		case *pb.CommitRequest:
			if err == nil && req.GetTransaction() != nil {
				c.open.Add(-1)
			}
		}
		return err
	}}
}
