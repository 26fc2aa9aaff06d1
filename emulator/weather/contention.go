package weather

import (
	"strings"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// contended is production's answer to a write that waited too long.
const contended = "Too much contention on these documents. Please try again."

// lockTimeout is the emulator's: see [Weather.locked].
const lockTimeout = "Transaction lock timeout"

// locked sends a commit, and waits for locks as production does. The emulator has locks of its own: a transaction locks what
// it reads, others may read it too, and a write waits for 2 s. Then it is aborted, where production waits for up to
// 20 s. So a commit outside of a transaction is sent again until it has waited as long. One in a transaction cannot be:
// its transaction has ended. Its client runs it again, as in production.
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

// queue is how long writes wait for their documents' turns and those of their collections, and takes these. If
// one would wait for too long, none is taken.
func (w *Weather) queue(writes []*pb.Write) (time.Duration, error) {
	documents, collections := map[string]bool{}, map[string]int{} // a commit is one write to the storage of a document
	for _, write := range writes {
		if name := nameOf(write); name != "" {
			documents[name] = true
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
	if c := w.o.Contention; c.Rate > 0 {
		for name := range documents {
			w.documents.take(name, every(c.Rate), 1, now)
		}
	}
	return max(longest, ramp), nil
}

// every is the time between two of a rate a second.
func every(rate float64) time.Duration { return time.Duration(float64(time.Second) / rate) }

// nameOf is the full name of the document that a write changes; "" for a precondition alone.
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
