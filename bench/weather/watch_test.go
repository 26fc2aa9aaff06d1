package weather

import (
	"bytes"
	"context"
	"path"
	"strings"
	"sync"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"

	"example.com/relationindex/internal/runtime/wire"
	"example.com/relationindex/schema/names"
)

// sample is one write of a client, and when a reader found what it brings.
type sample struct {
	kind   string // of which there is a row
	writes string // the document that the client writes
	began  time.Time
	open   int       // what the reader's query needs and has not
	seen   time.Time // when the last of it was there
	bare   time.Time // when the trigger that does nothing had the event
}

// need is that a document of a place has a text in it: the id of a post, or of a reader.
type need struct {
	text   []byte
	sample *sample
}

// watch sees the commits of the functions.
type watch struct {
	mu      sync.Mutex
	needs   map[string][]need  // by place, those that are open
	bare    map[string]*sample // by the document that a client writes
	samples []*sample
}

func newWatch() *watch { return &watch{needs: map[string][]need{}, bare: map[string]*sample{}} }

// place is what is watched of a document's path; "": nothing. Relations of a post have one, and so have the documents of a timeline.
func place(document string) string {
	dir, id := path.Split(document)
	switch path.Base(dir) {
	case names.Relations:
		post, _, _ := cutLast(id, "_")
		return dir + post
	case names.Timeline, names.FollowersIndex:
		return strings.TrimSuffix(dir, "/")
	default:
		return ""
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// begin begins a sample, right before its write. texts has for each place what a document of it must have.
func (w *watch) begin(kind, writes string, texts map[string][]string) *sample {
	s := &sample{kind: kind, writes: writes, began: time.Now()}
	w.mu.Lock()
	defer w.mu.Unlock()
	for place, all := range texts {
		for _, text := range all {
			w.needs[place] = append(w.needs[place], need{[]byte(text), s})
			s.open++
		}
	}
	w.bare[writes] = s
	w.samples = append(w.samples, s)
	return s
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
	waiting := len(w.needs[where])
	w.mu.Unlock()
	if where == "" || waiting == 0 {
		return
	}
	text, err := proto.Marshal(write)
	if err != nil {
		return // it was marshalled to be sent
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.needs[where][:0]
	for _, n := range w.needs[where] {
		if !bytes.Contains(text, n.text) {
			rest = append(rest, n)
			continue
		}
		if n.sample.open--; n.sample.open == 0 {
			n.sample.seen = at
		}
	}
	w.needs[where] = rest
}

// delivered notes that the trigger that does nothing has the event of a document.
func (w *watch) delivered(document string, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.bare[document]; s != nil && s.bare.IsZero() {
		s.bare = at
	}
}

// unseen is how many samples wait for something.
func (w *watch) unseen() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.samples {
		if s.open > 0 || s.bare.IsZero() {
			n++
		}
	}
	return n
}

// take returns the samples, and forgets them.
func (w *watch) take() []*sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.samples
	w.samples, w.needs, w.bare = nil, map[string][]need{}, map[string]*sample{}
	return taken
}
