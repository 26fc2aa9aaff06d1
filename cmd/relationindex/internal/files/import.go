package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/files/rows"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// DefaultParallel is how many documents Import writes at once. A higher number does not
// help with one database, because its functions process the same documents.
const DefaultParallel = 64

// ImportOptions are the options of Import and Direct. The zero value is the default.
type ImportOptions struct {
	Limit    int64 // import this many rows and stop; 0: all
	Parallel int   // Import: documents written at once; 0: DefaultParallel. Direct: calls of Adopt; 0: DefaultDirectParallel
	Window   int   // Direct: bytes of rows in memory; 0: DefaultWindow
	Ramp     bool  // begin at the pace that Firestore recommends for a new collection: see firstRate

	// Malformed is called with each malformed line, and each line whose document exists without a required
	// field. It may be nil. Calls do not overlap.
	Malformed func(*rows.RowError)
	Progress  func(rows int64) // called often with the number of finished rows; may be nil. Calls do not overlap
}

// Imported counts rows.
type Imported struct {
	Imported    int64 `json:"imported"` // rows whose documents were written; Direct: rows whose documents exist now
	Skipped     int64 `json:"skipped"`  // Malformed + SelfFollows + Others
	Malformed   int64 `json:"malformed"`
	SelfFollows int64 `json:"selfFollows"`
	// Others are documents that existed already, and lack a field of [Document.Needs].
	Others int64 `json:"others,omitempty"`
	// Found are rows with existing documents, which Import leaves unchanged. Such a document is from before the import,
	// from another row, or from a try whose answer was lost. Direct counts these rows in Imported.
	Found int64 `json:"found,omitempty"`
}

func (s Imported) String() string {
	others, found := "", ""
	if s.Others > 0 {
		others = fmt.Sprintf(", %d are something else already", s.Others)
	}
	if s.Found > 0 {
		found = fmt.Sprintf(", %d were there already", s.Found)
	}
	return fmt.Sprintf("imported %d%s, skipped %d (%d malformed, %d self-follows%s)", s.Imported, found, s.Skipped, s.Malformed, s.SelfFollows, others)
}

// Import creates missing documents, as clients would. It writes no derived documents: the functions
// do that. It reads each existing post, and skips the row if the post lacks userId or createdAt. The
// summary is also right with an error. The error is the file's, a rejected document's, or the cause
// of the end of ctx.
func Import(ctx context.Context, client *firestore.Client, documents iter.Seq2[Document, error], o ImportOptions) (Imported, error) {
	t := newTally(o)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(o.Parallel, DefaultParallel))
	for d := range t.documents(groupCtx, documents) {
		waited := t.ramp.wait(groupCtx, 1)
		group.Go(func() error {
			if waited != nil {
				return waited
			}
			found, err := create(groupCtx, client, d)
			if err != nil {
				return t.skip(err)
			}
			t.add(1, found)
			return nil
		})
	}
	return t.ended(ctx, group.Wait())
}

// errOther is joined with the error of a row whose document exists without a required field.
var errOther = errors.New("the document exists and lacks a required field")

// create creates a document, and reports whether the document existed already.
func create(ctx context.Context, client *firestore.Client, d Document) (found bool, err error) {
	err = retry(ctx, func() error {
		_, err := client.Doc(d.Path).Create(ctx, d.Data)
		if found = status.Code(err) == codes.AlreadyExists; found {
			return look(ctx, client, d)
		}
		return err
	})
	if err != nil && !errors.Is(err, errOther) {
		err = fmt.Errorf("write %s (line %d of %s): %w", d.Path, d.Row.Line, d.Row.File, err)
	}
	return found, err
}

// look returns errOther and an [*rows.RowError] if the existing document lacks a field of d.Needs. A document
// that is missing now was deleted in the meantime, and is no error.
func look(ctx context.Context, client *firestore.Client, d Document) error {
	if len(d.Needs) == 0 {
		return nil
	}
	only := wire.WithMask(ctx, func(string) bool { return true }, d.Needs...)
	docs, err := client.GetAll(only, []*firestore.DocumentRef{client.Doc(d.Path)})
	if err != nil || !docs[0].Exists() {
		return err
	}
	fields := schema.FieldsOf(docs[0], d.Needs...)
	lacks := slices.DeleteFunc(slices.Clone(d.Needs), func(name string) bool {
		return reflect.TypeOf(fields[name]) == reflect.TypeOf(d.Data[name])
	})
	if len(lacks) == 0 {
		return nil
	}
	return errors.Join(errOther, &rows.RowError{
		File: d.Row.File, Line: d.Row.Line,
		Reason: fmt.Sprintf("%s exists without %s, and stays unchanged", d.Path, strings.Join(lacks, " and ")),
	})
}
