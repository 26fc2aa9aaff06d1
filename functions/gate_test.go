package functions_test

import (
	"strings"
	"sync/atomic"
	"testing"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

// gate is a [testkit.Gate] in the words of these tests.
type gate struct {
	*testkit.Gate
	armed   *atomic.Bool
	reached <-chan struct{}
}

func newGate(t testing.TB, match func(req any) bool) *gate {
	g := testkit.NewGate(t, match)
	return &gate{g, &g.Armed, g.Reached()}
}

// unarmedGate lets everything pass until it is armed.
func unarmedGate(t testing.TB, match func(req any) bool) *gate {
	g := newGate(t, match)
	g.armed.Store(false)
	return g
}

func (g *gate) await()                        { g.Await() }
func (g *gate) open()                         { g.Open() }
func (g *gate) interceptor() wire.Interceptor { return g.Interceptor() }

// commitOf matches the commit that writes a document below prefix.
func commitOf(prefix string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		if !ok {
			return false
		}
		for _, w := range commit.GetWrites() {
			if name := w.GetUpdate().GetName() + w.GetDelete(); strings.Contains(name, "/documents/"+prefix) {
				return true
			}
		}
		return false
	}
}

// readOf matches the read, by name and in a transaction, of a document.
func readOf(document string) func(any) bool {
	return func(req any) bool {
		get, ok := req.(*pb.BatchGetDocumentsRequest)
		if !ok || get.GetTransaction() == nil {
			return false
		}
		for _, name := range get.GetDocuments() {
			if strings.HasSuffix(name, "/documents/"+document) {
				return true
			}
		}
		return false
	}
}

// queryOf matches a query over a collection.
func queryOf(collection string) func(any) bool {
	return func(req any) bool {
		query, ok := req.(*pb.RunQueryRequest)
		return ok && query.GetStructuredQuery().GetFrom()[0].GetCollectionId() == collection
	}
}

// deleteOf matches the commit that deletes a document.
func deleteOf(document string) func(any) bool {
	return func(req any) bool {
		commit, ok := req.(*pb.CommitRequest)
		return ok && len(commit.GetWrites()) > 0 && strings.HasSuffix(commit.GetWrites()[0].GetDelete(), "/documents/"+document)
	}
}
