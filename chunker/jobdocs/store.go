package jobdocs

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"cloud.google.com/go/firestore"
)

// Store reads and deletes the job documents of one collection. It is safe for
// concurrent use.
type Store struct {
	client *firestore.Client
	name   string // of the collection
	schema int    // the newest that Decode accepts
}

// NewStore returns the store of a collection. schema is [Schema], except in tests that
// run the engines of two releases.
func NewStore(client *firestore.Client, collection string, schema int) *Store {
	return &Store{client: client, name: collection, schema: schema}
}

func (s *Store) collection() *firestore.CollectionRef { return s.client.Collection(s.name) }

// maxID is the most bytes of a document id:
// https://docs.cloud.google.com/firestore/quotas.
const maxID = 1500

// Ref returns a job's document; nil if id is not a valid document id.
func (s *Store) Ref(id string) *firestore.DocumentRef {
	switch reserved := strings.HasPrefix(id, "__") && strings.HasSuffix(id, "__"); {
	case id == "", id == ".", id == "..", reserved, strings.Contains(id, "/"), len(id) > maxID, !utf8.ValidString(id):
		return nil
	}
	return s.collection().Doc(id)
}

// Get returns a job, or ErrNotFound. For a document that is no job, it returns a failed
// job whose Error says why. For a job of a newer release, it returns the fields that
// [Job.Newer] names. It costs one read.
func (s *Store) Get(ctx context.Context, id string) (Job, error) {
	jobs, err := s.GetAll(ctx, []string{id})
	if err != nil {
		return Job{}, err
	}
	if len(jobs) == 0 {
		return Job{}, fmt.Errorf("job %q: %w", id, ErrNotFound)
	}
	return jobs[0], nil
}

// GetAll returns the jobs of ids that exist, in the order of ids, as Get does. It costs
// a read for each id.
func (s *Store) GetAll(ctx context.Context, ids []string) ([]Job, error) {
	var refs []*firestore.DocumentRef
	for _, id := range ids {
		if ref := s.Ref(id); ref != nil {
			refs = append(refs, ref)
		}
	}
	return s.getAll(ctx, refs)
}

func (s *Store) getAll(ctx context.Context, refs []*firestore.DocumentRef) ([]Job, error) {
	snaps, err := s.client.GetAll(ctx, refs)
	if err != nil {
		return nil, fmt.Errorf("read jobs: %w", err)
	}
	var jobs []Job
	for _, snap := range snaps {
		if snap.Exists() {
			jobs = append(jobs, s.Show(snap))
		}
	}
	return jobs, nil
}

// List returns up to limit jobs in one of the states, ordered by id. Without a state,
// it returns the jobs that were written last, the newest first. It costs a read for
// each job, and at least one.
func (s *Store) List(ctx context.Context, limit int, states ...State) ([]Job, error) {
	q := s.collection().OrderBy("updatedAt", firestore.Desc)
	if len(states) > 0 {
		q = s.collection().Where("state", "in", states)
	}
	docs, err := q.Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("list jobs: %w", err)
	}
	jobs := make([]Job, len(docs))
	for i, doc := range docs {
		jobs[i] = s.Show(doc)
	}
	return jobs, nil
}

// Unfinished returns up to limit jobs that are queued or running, as List does.
func (s *Store) Unfinished(ctx context.Context, limit int) ([]Job, error) {
	return s.List(ctx, limit, Queued, Running)
}

// Waiting returns the query of the waiting jobs: see [Job.Waiting]. It also finds jobs that are queued in the
// middle of a run that has left work out.
func (s *Store) Waiting() firestore.Query {
	return s.collection().Where("state", "==", Queued).Where("waits", "==", true)
}

// Naming returns the query of the jobs, of whatever kind and state, that have a value in one of some arguments. The
// collection needs an index of each of these arguments.
func (s *Store) Naming(value string, args ...string) firestore.Query {
	var named firestore.OrFilter
	for _, arg := range args {
		named.Filters = append(named.Filters, firestore.PropertyFilter{Path: "args." + arg, Operator: "==", Value: value})
	}
	return s.collection().WhereEntity(named)
}

// Named returns up to limit jobs whose ids begin with prefix, ordered by id. It costs a
// read for each job, and at least one.
func (s *Store) Named(ctx context.Context, prefix string, limit int) ([]Job, error) {
	docs, err := s.DocumentsNamed(prefix).Limit(limit).Documents(ctx).GetAll()
	if err != nil {
		return nil, fmt.Errorf("jobs named %q: %w", prefix, err)
	}
	jobs := make([]Job, len(docs))
	for i, doc := range docs {
		jobs[i] = s.Show(doc)
	}
	return jobs, nil
}

// DocumentsNamed returns the query of job documents whose ids begin with prefix,
// ordered by id.
func (s *Store) DocumentsNamed(prefix string) firestore.Query {
	return s.collection().OrderBy(firestore.DocumentID, firestore.Asc).StartAt(prefix).EndBefore(prefix + "\U0010ffff")
}

// Documents returns the query of all job documents.
func (s *Store) Documents() firestore.Query { return s.collection().Query }
