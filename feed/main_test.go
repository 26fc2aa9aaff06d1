package feed_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	pb "cloud.google.com/go/firestore/apiv1/firestorepb"
	"google.golang.org/grpc"

	"example.com/relationindex/feed"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.MainWithTokens(m) }

// database is a project of a test's own, whose documents the test writes
// itself, and a feed over it.
type database struct {
	*firestore.Client
	*feed.Feed
	t       testing.TB
	metered *firestore.Client // of the feed
	meter   *wire.Meter       // of it
	calls   atomic.Int64
}

func newDatabase(t testing.TB) *database {
	t.Helper()
	return newDatabaseFor(t, schema.Config{NoOwnPosts: true})
}

// newDatabaseFor is newDatabase for a feed with options, whose calls interceptors see.
func newDatabaseFor(t testing.TB, opts schema.Config, more ...wire.Interceptor) *database {
	t.Helper()
	project := testkit.ProjectID(t)
	db := &database{t: t, meter: &wire.Meter{}}
	watched := wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
		s, err := open(ctx, desc, cc, method, opts...)
		return &watchedStream{s, db}, err
	}}
	db.metered = testkit.Open(t, project, append([]wire.Interceptor{db.meter.Interceptor(), watched}, more...)...)
	db.Feed = feed.New(db.metered, opts, nil)
	db.Client = testkit.Open(t, project)
	return db
}

// undecodable is a field of which a feed gets a value that the library does not
// decode: a reference to a database. The emulator does not store one.
const undecodable = "undecodable"

// watchedStream refuses to let followers through to a feed.
type watchedStream struct {
	grpc.ClientStream
	db *database
}

func (s *watchedStream) SendMsg(req any) error {
	s.db.calls.Add(1)
	return s.ClientStream.SendMsg(req)
}

func (s *watchedStream) RecvMsg(reply any) error {
	err := s.ClientStream.RecvMsg(reply)
	if found, ok := reply.(*pb.RunQueryResponse); ok && err == nil {
		if _, ok := found.GetDocument().GetFields()["followers"]; ok {
			s.db.t.Error("followers came over the wire")
		}
	}
	if post, ok := reply.(*pb.BatchGetDocumentsResponse); ok && err == nil {
		if fields := post.GetFound().GetFields(); fields[undecodable] != nil {
			fields[undecodable] = &pb.Value{ValueType: &pb.Value_ReferenceValue{ReferenceValue: "projects/p/databases/d"}}
		}
	}
	return err
}

// write writes documents by their paths, all at once.
func (db *database) write(documents map[string]map[string]any) {
	db.t.Helper()
	w := db.BulkWriter(db.t.Context())
	var jobs []*firestore.BulkWriterJob
	for path, fields := range documents {
		job, err := w.Set(db.Doc(path), fields)
		if err != nil {
			db.t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	w.End()
	for _, job := range jobs {
		if _, err := job.Results(); err != nil {
			db.t.Fatal(err)
		}
	}
}

// post writes a post of an author and its relations for some index documents,
// of which each holds ada alone.
func (db *database) post(id, author string, at time.Time, indexes ...string) {
	db.t.Helper()
	documents := map[string]map[string]any{
		"posts/" + id: {"userId": author, "createdAt": at, "text": "text of " + id},
	}
	for _, index := range indexes {
		documents["_relations/"+id+"_"+index] = relationOf(id, author, index, at)
	}
	db.write(documents)
}

func relationOf(post, author, index string, at time.Time, followers ...string) map[string]any {
	if followers == nil {
		followers = []string{"ada"}
	}
	return map[string]any{"postId": post, "userId": author, "audience": author, "indexId": index, "indexVersion": 1, "createdAt": at, "followers": followers}
}

// directOf is a relation with those whom a post names: ada alone.
func directOf(post, author string, at time.Time) map[string]any {
	direct := relationOf(post, author, "00000", at)
	direct["audience"] = ""
	return direct
}

// page reads a page of ada's.
func (db *database) page(limit int, cursor string) feed.Page {
	db.t.Helper()
	p, err := db.Page(db.t.Context(), "ada", limit, cursor)
	if err != nil {
		db.t.Fatal(err)
	}
	return p
}

// all reads ada's feed to its end and returns the pages as texts: "p3 p2".
func (db *database) all(limit int) (pages []string) {
	db.t.Helper()
	for cursor, n := "", 0; n < 1000; n++ {
		p := db.page(limit, cursor)
		pages = append(pages, ids(p))
		if cursor = p.Cursor; cursor == "" {
			return pages
		}
	}
	db.t.Fatal("the feed has no end")
	return nil
}

func ids(p feed.Page) string {
	var all []string
	for _, post := range p.Posts {
		all = append(all, post.ID)
	}
	return strings.Join(all, " ")
}

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// counts are what a call costs.
func (db *database) counts(call func()) (c wire.Counts, calls int64) {
	before, callsBefore := db.meter.Counts(), db.calls.Load()
	call()
	return db.meter.Counts().Minus(before), db.calls.Load() - callsBefore
}
