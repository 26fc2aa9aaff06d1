package weather

import (
	"strings"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// contended is production's error text for a write that waited too long.
const contended = "Too much contention on these documents. Please try again."

// lockTimeout is part of the emulator's error text: see [Weather.locked].
const lockTimeout = "Transaction lock timeout"

// locked sends a commit, and waits for locks as production does. The emulator has locks of its own: a transaction locks what
// it reads, other transactions may read it too, and a write waits for 2 s. Then the emulator aborts the write, where
// production waits for up to 20 s. So locked repeats a commit outside of a transaction until it has waited that long. It
// cannot repeat a commit in a transaction, because the transaction has ended. The client runs the transaction again, as in
// production.
func (w *Weather) locked(req any, send func() error) error {
	commit, again := req.(*pb.CommitRequest)
	again = again && commit.GetTransaction() == nil
	began := w.now()
	for {
		err := send()
		if w.o.Contention == (Contention{}) || status.Code(err) != codes.Aborted || !strings.Contains(err.Error(), lockTimeout) {
			return err
		}
		if !again || w.now().Sub(began) >= w.o.Contention.Wait {
			w.counts.contended.Add(1)
			return status.Error(codes.Aborted, contended)
		}
	}
}

// queue reserves a turn for each document of a commit, and one for each write in its collection, and returns the longest
// wait. If that is too long, it reserves nothing and returns the error.
func (w *Weather) queue(writes []*pb.Write) (time.Duration, error) {
	documents, collections := documentsOf(writes), map[string]int{}
	for _, write := range writes {
		if name := nameOf(write); name != "" {
			collections[collectionOf(name)]++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.now()
	longest := time.Duration(0)
	if c := w.o.Contention; c.Rate > 0 {
		for name := range documents {
			longest = max(longest, w.documents.wait(name, every(c.Rate), c.Burst, now))
		}
		if longest > 0 {
			w.counts.contended.Add(1)
		}
		if longest > c.Wait {
			return 0, status.Error(codes.Aborted, contended)
		}
	}
	ramp, err := w.ramp(collections, now)
	if err != nil {
		return 0, err
	}
	w.takeTurns(documents, 1, now)
	return max(longest, ramp), nil
}

// giveBack releases the documents' turns of a commit that failed, which usually wrote nothing. The turns of collections stay
// reserved: failed writes are traffic too.
func (w *Weather) giveBack(writes []*pb.Write) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.takeTurns(documentsOf(writes), -1, w.now())
}

func (w *Weather) takeTurns(documents map[string]bool, n int, now time.Time) {
	if rate := w.o.Contention.Rate; rate > 0 {
		for name := range documents {
			w.documents.take(name, every(rate), n, now)
		}
	}
}

// documentsOf returns the names of the documents that a commit changes. Several writes to one document are one write to the
// storage.
func documentsOf(writes []*pb.Write) map[string]bool {
	names := map[string]bool{}
	for _, write := range writes {
		if name := nameOf(write); name != "" {
			names[name] = true
		}
	}
	return names
}

// every returns the interval of a rate, which is per second.
func every(rate float64) time.Duration { return time.Duration(float64(time.Second) / rate) }

// nameOf returns the full name of the document that a write changes; "" if the write only has a precondition.
func nameOf(w *pb.Write) string {
	switch op := w.GetOperation().(type) {
	case *pb.Write_Update:
		return op.Update.GetName()
	case *pb.Write_Delete:
		return op.Delete
	case *pb.Write_Transform:
		return op.Transform.GetDocument()
	default:
		return ""
	}
}
