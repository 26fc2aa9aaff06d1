package weather

import (
	"context"
	"path"
	"strings"
	"sync"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema/names"
)

// written is one write of a client.
type written struct {
	kind  string // its row
	began time.Time
	bare  time.Time // when the no-op trigger had the event
}

// sample is a reader who has to find the consequence of a write.
type sample struct {
	*written
	reader
	open int       // needs that no commit has met yet
	seen time.Time // when the reader found it
}

// reader finds a write when commits have met all needs. A reader who asks has found it when their own query has.
type reader struct {
	needs []need
	asks  bool
	finds func(context.Context) (bool, error) // by a query
}

// need requires a text in a document of a place: the id of a post, or of a reader.
type need struct{ place, text string }

// watch sees the commits of the functions.
type watch struct {
	ask func(*sample) // makes the query of a reader whose needs are met, and calls found

	mu      sync.Mutex
	needs   map[need][]*sample  // those that are open
	open    map[string]int      // needs of each place
	written map[string]*written // by the document that a client writes
	samples []*sample
}

func newWatch() *watch {
	return &watch{needs: map[need][]*sample{}, open: map[string]int{}, written: map[string]*written{}}
}

// place returns the watched part of a document's path; "": it is not watched. All relations of a post have one place, and so
// have all documents of a timeline.
func place(document string) string {
	dir, id := path.Split(document)
	switch path.Base(dir) {
	case names.Relations:
		return dir + id[:max(0, strings.LastIndex(id, "_"))]
	case names.Timeline, names.FollowersIndex:
		return strings.TrimSuffix(dir, "/")
	default:
		return ""
	}
}

// begin begins a sample for each reader, right before the write of a document.
func (w *watch) begin(kind, document string, readers []reader) {
	event := &written{kind: kind, began: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written[document] = event
	for _, r := range readers {
		s := &sample{written: event, reader: r, open: len(r.needs)}
		w.samples = append(w.samples, s)
		for _, n := range r.needs {
			w.needs[n] = append(w.needs[n], s)
			w.open[n.place]++
		}
	}
}

// Interceptor is for the calls of the functions.
func (w *watch) Interceptor() wire.Interceptor {
	return wire.Interceptor{Unary: func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
		err := invoke(ctx, method, req, reply, cc, opts...)
		if err != nil {
			return err
		}
		at := time.Now()
		switch r := req.(type) {
		case *pb.CommitRequest:
			for _, write := range r.GetWrites() {
				w.saw(write, at)
			}
		case *pb.BatchWriteRequest:
			answer, _ := reply.(*pb.BatchWriteResponse)
			for n, write := range r.GetWrites() {
				if status := answer.GetStatus(); n < len(status) && codes.Code(status[n].GetCode()) == codes.OK { //nolint:gosec // codes are small
					w.saw(write, at)
				}
			}
		}
		return nil
	}}
}

func (w *watch) saw(write *pb.Write, at time.Time) {
	_, document, _ := strings.Cut(write.GetUpdate().GetName(), "/documents/")
	where := place(document)
	w.mu.Lock()
	waiting := w.open[where] > 0
	w.mu.Unlock()
	if !waiting {
		return
	}
	texts := textsOf(write)
	w.mu.Lock()
	defer w.mu.Unlock()
	for text := range texts {
		n := need{where, text}
		for _, s := range w.needs[n] {
			if s.open--; s.open > 0 {
				continue
			}
			if s.asks {
				w.ask(s)
			} else {
				s.seen = at
			}
		}
		w.open[where] -= len(w.needs[n])
		delete(w.needs, n)
	}
}

// textsOf returns the strings in a write, and the keys of its maps.
func textsOf(write *pb.Write) map[string]bool {
	texts := map[string]bool{}
	var add func(*pb.Value)
	fields := func(fields map[string]*pb.Value) {
		for name, v := range fields {
			texts[name] = true
			add(v)
		}
	}
	all := func(array *pb.ArrayValue) {
		for _, v := range array.GetValues() {
			add(v)
		}
	}
	add = func(v *pb.Value) {
		if text := v.GetStringValue(); text != "" {
			texts[text] = true
		}
		fields(v.GetMapValue().GetFields())
		all(v.GetArrayValue())
	}
	fields(write.GetUpdate().GetFields())
	for _, t := range write.GetUpdateTransforms() {
		all(t.GetAppendMissingElements())
	}
	return texts
}

// late returns the first samples, at most most, that began before a time, wait, and do not ask.
func (w *watch) late(before time.Time, most int) (late []*sample) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.samples {
		if s.seen.IsZero() && s.began.Before(before) && (!s.asks || s.open > 0) && len(late) < most {
			late = append(late, s)
		}
	}
	return late
}

// found notes that the reader of a sample has found what was written.
func (w *watch) found(s *sample, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.seen.IsZero() {
		s.seen = at
	}
}

// delivered notes that the no-op trigger has the event of a document.
func (w *watch) delivered(document string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if event := w.written[document]; event != nil && event.bare.IsZero() {
		event.bare = at
	}
}

// unseen returns the number of samples that wait for something, and of all.
func (w *watch) unseen() (unseen, all int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.samples {
		if s.seen.IsZero() || s.bare.IsZero() {
			unseen++
		}
	}
	return unseen, len(w.samples)
}

// take returns the samples, and forgets them.
func (w *watch) take() []*sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.samples
	w.samples, w.needs, w.open, w.written = nil, map[need][]*sample{}, map[string]int{}, map[string]*written{}
	return taken
}
