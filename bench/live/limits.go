package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// followers returns n ids as long as a Firebase uid.
func followers(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprintf("live-probe-follower-%08d", i)
	}
	return ids
}

func (l *live) relation(name string) *firestore.DocumentRef {
	return l.client.Collection(names.Relations).Doc(l.author + "-" + name)
}

// full returns a relation with n followers.
func (l *live) full(n int) schema.Relation {
	return schema.Relation{
		PostID: l.author, UserID: l.author, IndexID: "00001", IndexVersion: 1,
		Followers: followers(n), SizeBytes: 29 * n, CreatedAt: time.Now(),
	}
}

// tooMuch reports whether Firestore rejected a write for its contents, not for a passing state.
func tooMuch(err error) bool {
	return status.Code(err) == codes.InvalidArgument || status.Code(err) == codes.ResourceExhausted
}

// entries tests how many index entries an element of an array counts in a composite index. One
// document may have 40,000. Relations have one such index. 19,900 followers fit if an element counts
// two, and 30,000 fit if it counts one. It also tests whether a document that could be created can be
// deleted.
func entries(ctx context.Context, l *live) ([]answer, error) {
	var answers []answer
	for _, n := range []int{schema.DefaultCapacity, 19_900, 30_000} {
		doc := l.relation(fmt.Sprint("entries-", n))
		_, err := doc.Create(ctx, l.full(n))
		switch {
		case err == nil:
			answers = append(answers, answer{seen: fmt.Sprintf("a relation with %d followers is accepted", n)})
		case !tooMuch(err):
			return answers, err
		default:
			a := answer{seen: fmt.Sprintf("a relation with %d followers is refused: %v", n, err)}
			if n == schema.DefaultCapacity {
				a.wrong = "the default capacity is too large: set RELATIONINDEX_CAPACITY=5000 before there are index documents"
			}
			answers = append(answers, a)
			continue
		}
		if _, err := doc.Delete(ctx); err != nil {
			return append(answers, answer{
				seen:  fmt.Sprintf("… and its deletion is refused: %v", err),
				wrong: fmt.Sprintf("a relation with %d followers can be created and not deleted", n),
			}), nil
		}
	}
	return answers, nil
}

// transactions tests how many relations of the default capacity one transaction may create, change,
// move in time and delete. The code relies on two, three, one and three. It tests up to eight at once:
// a request has a limit of its own.
func transactions(ctx context.Context, l *live) ([]answer, error) {
	var answers []answer
	kinds := []struct {
		name    string
		planned int
		write   func(*firestore.Transaction, *firestore.DocumentRef) error
	}{
		{"create", 2, func(tx *firestore.Transaction, d *firestore.DocumentRef) error {
			return tx.Create(d, l.full(schema.DefaultCapacity))
		}},
		{"change", 3, func(tx *firestore.Transaction, d *firestore.DocumentRef) error {
			return tx.Update(d, []firestore.Update{{Path: "indexVersion", Value: 2}})
		}},
		{"redate", 1, func(tx *firestore.Transaction, d *firestore.DocumentRef) error { // each entry of the followers has the time in it
			return tx.Update(d, []firestore.Update{{Path: "createdAt", Value: time.Now()}})
		}},
		{"delete", 3, func(tx *firestore.Transaction, d *firestore.DocumentRef) error { return tx.Delete(d) }},
	}
	for _, kind := range kinds {
		most := 0
		var refusal error
		for n := kind.planned; n <= 8 && refusal == nil; n *= 2 {
			docs, err := l.documents(ctx, n, kind.name != "create")
			if err == nil {
				err = l.client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
					for _, d := range docs {
						if err := kind.write(tx, d); err != nil {
							return err
						}
					}
					return nil
				})
			}
			switch {
			case err == nil:
				most = n
			case tooMuch(err):
				refusal = err
			default:
				return answers, errors.Join(err, l.remove(ctx, docs))
			}
			if err := l.remove(ctx, docs); err != nil {
				return answers, err
			}
		}
		a := answer{seen: fmt.Sprintf("a transaction may %s %d relations of %d followers, planned are %d; twice as many: %v",
			kind.name, most, schema.DefaultCapacity, kind.planned, orAccepted(refusal))}
		if most < kind.planned {
			a.wrong = fmt.Sprintf("a transaction to %s %d relations is refused: lower TransactionBytes in schema/limits.go", kind.name, kind.planned)
		}
		answers = append(answers, a)
	}
	return answers, nil
}

func orAccepted(err error) any {
	if err == nil {
		return "accepted too"
	}
	return err
}

// documents returns the references of n relations. With there, it creates them one by one.
func (l *live) documents(ctx context.Context, n int, there bool) ([]*firestore.DocumentRef, error) {
	var docs []*firestore.DocumentRef
	for i := range n {
		d := l.relation(fmt.Sprint("transaction-", i))
		docs = append(docs, d)
		if !there {
			continue
		}
		if _, err := d.Set(ctx, l.full(schema.DefaultCapacity)); err != nil {
			return docs, err
		}
	}
	return docs, nil
}

// remove deletes documents one by one.
func (l *live) remove(ctx context.Context, docs []*firestore.DocumentRef) error {
	var errs []error
	for _, d := range docs {
		_, err := d.Delete(ctx)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
