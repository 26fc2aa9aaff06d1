package weather

import (
	"strings"
	"time"

	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
	"example.com/relationindex/internal/indexfile"
)

// Indexes returns the composite indexes in the order of the file, to choose one for Build.
func (w *Weather) Indexes() []indexfile.Index { return w.file.Indexes }

// Build makes a composite index build from now on for d, which is not scaled; with 0 or less, the index is built. Until then,
// queries that no other index serves fail. A second call replaces the first.
func (w *Weather) Build(x indexfile.Index, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d <= 0 {
		delete(w.building, x.JSON())
		return
	}
	w.building[x.JSON()] = w.now().Add(d)
}

// built returns a guard without the building indexes; nil if none builds.
func (w *Weather) built() *guard.IndexGuard {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.building) == 0 {
		return nil
	}
	rest := &indexfile.File{Overrides: w.file.Overrides}
	now := w.now()
	for _, x := range w.file.Indexes {
		if until, ok := w.building[x.JSON()]; !ok || !now.Before(until) {
			delete(w.building, x.JSON())
			rest.Indexes = append(rest.Indexes, x)
		}
	}
	return guard.New(rest).Indexes
}

// query returns an error if the query's index is building. A missing index is left to the guard.
func (w *Weather) query(req any) error {
	var parent string
	var q *pb.StructuredQuery
	var aggregations []*pb.StructuredAggregationQuery_Aggregation
	switch r := req.(type) {
	case *pb.RunQueryRequest:
		parent, q = r.GetParent(), r.GetStructuredQuery()
	case *pb.RunAggregationQueryRequest:
		parent, q = r.GetParent(), r.GetStructuredAggregationQuery().GetStructuredQuery()
		aggregations = r.GetStructuredAggregationQuery().GetAggregations()
	case *pb.ListenRequest:
		parent, q = r.GetAddTarget().GetQuery().GetParent(), r.GetAddTarget().GetQuery().GetStructuredQuery()
	}
	if q == nil {
		return nil
	}
	built := w.built()
	if built == nil || built.Check(parent, q, aggregations) == nil || w.guard.Indexes.Check(parent, q, aggregations) != nil {
		return nil
	}
	w.counts.building.Add(1)
	project, _, _ := strings.Cut(strings.TrimPrefix(parent, "projects/"), "/")
	return status.Errorf(codes.FailedPrecondition, "The query requires an index. That index is currently building and cannot be used yet. "+
		"See its status here: https://console.firebase.google.com/v1/r/project/%s/firestore/indexes", project)
}
