// Package survey inspects an app's database before relationindex is installed there. Only the command line uses it. It
// changes nothing.
package survey

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// MaxCounted is the most documents of a collection that are counted, at a read for each thousand.
const MaxCounted = 1_000_000

// MaxSample is the most documents of a collection that are read.
const MaxSample = 1000

// Finding describes a collection. A collection has a finding for each requirement that documents break, or one finding
// without a problem.
type Finding struct {
	Collection string `json:"collection"` // "users/*/following"
	// Documents is the number of documents, at most MaxCounted. For a subcollection, it counts the documents of all
	// collections with that name.
	Documents int64  `json:"documents"`
	With      []With `json:"with,omitempty"` // number of documents with each counted field
	// Without is the number of Documents, read or not, that lack a counted field. 0 if no field is counted for this
	// finding.
	Without int64    `json:"without,omitempty"`
	Sampled int      `json:"sampled"`           // number of documents read
	Strange int      `json:"strange"`           // number of these that relationindex cannot use
	Example string   `json:"example,omitempty"` // the path of a strange one
	Fields  []string `json:"fields,omitempty"`  // the names of its first fields
	Problem string   `json:"problem,omitempty"` // the consequence of strange documents, and the remedy; empty: none are strange
	Stops   bool     `json:"stops"`             // solve it before you install relationindex
}

// With is the number of documents of a collection that have a field, with a value of the required type.
type With struct {
	Field     string `json:"field"`
	Documents int64  `json:"documents"`         // at most MaxCounted
	NoIndex   bool   `json:"noIndex,omitempty"` // the app has exempted the field from indexes: it is not counted
}

// Collections inspects each collection that relationindex reads or writes. It returns the findings, grouped by
// collection. It samples sample documents of each, 1 to [MaxSample], in the order of names, from four places, three of
// them random. The sample may miss ids that begin alike. So Collections also counts the users with a name, and the
// posts with an author and a time. progress, which may be nil, gets the number of finished collections. You may call
// Collections again.
//
// It costs at most twice sample reads for each collection, and one for each finding. Each count costs a read for each
// thousand documents, up to [MaxCounted]. Collections returns the number of reads.
func Collections(ctx context.Context, db *schema.Database, sample int, progress func(collections int64)) (found []Finding, reads int64, err error) {
	if sample < 1 || sample > MaxSample {
		return nil, 0, fmt.Errorf("survey: %d documents of a collection: must be 1 to %d", sample, MaxSample)
	}
	for n, k := range kinds(db.Config.Collections()) {
		some, cost, err := k.look(ctx, db, sample)
		if reads += cost; err != nil {
			return nil, reads, fmt.Errorf("survey of %s: %w", k.path(), err)
		}
		if found = append(found, some...); progress != nil {
			progress(int64(n + 1))
		}
	}
	return found, reads, nil
}

// kind is a collection, with the requirements for its documents.
type kind struct {
	parent, id string   // of a collection below documents of parent; parent "": at the top
	fields     []string // that are read
	rules      []rule
}

func (k kind) path() string {
	if k.parent == "" {
		return k.id
	}
	return k.parent + "/*/" + k.id
}

func (k kind) query(db *schema.Database) firestore.Query {
	if k.parent == "" {
		return db.Client.Collection(k.id).Query
	}
	return db.Client.CollectionGroup(k.id).Query
}

// starts is the number of places from which a sample is read: documents of one user alone would show little. The last
// place is the beginning, which completes the sample of a small collection.
const starts = 4

func (k kind) look(ctx context.Context, db *schema.Database, sample int) (found []Finding, reads int64, err error) {
	all := Finding{Collection: k.path()}
	without, reads, err := k.count(ctx, db, &all)
	if err != nil {
		return nil, reads, err
	}
	seen, strange := map[string]bool{}, make([]sampled, len(k.rules))
	for n := range starts {
		q := k.query(db).OrderBy(firestore.DocumentID, firestore.Asc).Select(k.fields...).Limit(sample)
		if n < starts-1 {
			q = q.StartAt(k.somewhere(db)).Limit(sample / starts)
		}
		for doc, err := range store.Documents(ctx, q) {
			if err != nil {
				return nil, reads, err
			}
			reads++
			if seen[doc.Ref.Path] || len(seen) == sample || k.parent != "" && !k.isBelow(db, doc.Ref) {
				continue
			}
			seen[doc.Ref.Path] = true
			for i, r := range k.rules {
				if _, counts := without[i]; !r.holds(doc) {
					strange[i].add(doc, !counts || r.counted.in(doc))
				}
			}
		}
	}
	all.Sampled = len(seen)
	for i, r := range k.rules {
		if strange[i].documents == 0 && without[i] == 0 {
			continue
		}
		f := all
		f.Without, f.Strange, f.Problem = without[i], strange[i].documents, r.problem
		f.Stops = r.stops == ofAny || r.stops == ofMost && shareOf(f.Without, f.Documents)+shareOf(int64(strange[i].uncounted), int64(f.Sampled)) > 0.5
		if example := strange[i].example; example != nil {
			_, f.Example, _ = strings.Cut(example.Path, "/documents/")
			reads++
			if f.Fields, err = fieldsOf(ctx, db, example); err != nil {
				return nil, reads, err
			}
		}
		found = append(found, f)
	}
	if len(found) == 0 {
		found = append(found, all)
	}
	return found, reads, nil
}

// count counts the documents of a finding, as of one time. It returns the number of documents without a rule's field,
// by the rule's number, for rules with a field that could be counted.
func (k kind) count(ctx context.Context, db *schema.Database, all *Finding) (without map[int]int64, reads int64, err error) {
	err = db.Client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) (err error) {
		without, all.With = map[int]int64{}, nil
		if all.Documents, err = bulk.CountIn(ctx, tx, k.query(db).Limit(MaxCounted)); err != nil {
			return err
		}
		reads += 1 + all.Documents/1000
		for i, r := range k.rules {
			if r.counted == nil {
				continue
			}
			w := With{Field: r.counted.name}
			w.Documents, err = bulk.CountIn(ctx, tx, r.counted.query(k.query(db)).Limit(MaxCounted))
			switch {
			case errors.Is(err, wire.ErrNoIndex):
				w.NoIndex = true
			case err != nil:
				return err
			default:
				reads += 1 + w.Documents/1000
				without[i] = all.Documents - w.Documents
			}
			all.With = append(all.With, w)
		}
		return nil
	}, firestore.ReadOnly)
	return without, reads, err
}

// sampled holds the documents of a sample that break a rule.
type sampled struct {
	documents int
	uncounted int // number of these that no count has found
	example   *firestore.DocumentRef
}

func (s *sampled) add(doc *firestore.DocumentSnapshot, uncounted bool) {
	s.documents++
	s.example = doc.Ref
	if uncounted {
		s.uncounted++
	}
}

func shareOf(n, all int64) float64 { return float64(n) / float64(max(1, all)) }

// maxFields is the most fields of an example that are named.
const maxFields = 10

// fieldsOf names the first fields of a document, in order; none if it has just gone.
func fieldsOf(ctx context.Context, db *schema.Database, ref *firestore.DocumentRef) ([]string, error) {
	docs, err := store.ReadAll(ctx, db.Client, []*firestore.DocumentRef{ref})
	if err != nil || !docs[0].Exists() {
		return nil, err
	}
	fields, _ := schema.AllFields(docs[0]) // an undecodable field hides others
	all := slices.Sorted(maps.Keys(fields))
	return all[:min(len(all), maxFields)], nil
}

// isBelow reports whether a document of a collection group is in this collection, and not in another one with the same
// name.
func (k kind) isBelow(db *schema.Database, ref *firestore.DocumentRef) bool {
	parent := ref.Parent.Parent
	return parent != nil && parent.Path == db.Client.Collection(k.parent).Doc(parent.ID).Path
}

// somewhere returns a random name: ids made by Firestore and Firebase begin with a letter or digit.
func (k kind) somewhere(db *schema.Database) *firestore.DocumentRef {
	const first = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := string([]byte{first[rand.IntN(len(first))], first[rand.IntN(len(first))]}) //nolint:gosec // a place in a sample
	if k.parent == "" {
		return db.Client.Collection(k.id).Doc(id)
	}
	return db.Client.Collection(k.parent).Doc(id).Collection(k.id).Doc(id)
}
