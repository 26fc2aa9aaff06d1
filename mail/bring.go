package mail

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/posts"
	"example.com/relationindex/readers"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

const (
	// MaxReaders is how many readers a document names: as many recipients as Amazon SES and
	// Postmark take for a message. Others take more:
	// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
	MaxReaders = 50

	// maxMailed and maxLooked are how many readers a transaction mails, and how many it looks
	// at to find those.
	maxMailed, maxLooked = 4 * MaxReaders, 500

	// settingsAtOnce is how many settings are read at once: each may have 120 KB.
	settingsAtOnce = 50

	// maxAny is how many values array-contains-any may have:
	// https://firebase.google.com/docs/firestore/query-data/queries
	maxAny = 30
)

// The fields of a document that are ours alone, or that a query names.
const (
	fieldReaders = "bccUids"
	fieldPost    = "post"
	fieldAuthor  = "template.data.author"
)

// hidden is the generation of the job of a post that was found hidden: when it is shown, its
// event brings another generation.
const hidden = "hidden"

// found is what a transaction found.
type found struct {
	gone   bool // the post is
	hidden bool // or has no readers
	looked int  // how many of the readers it decided about
}

// bring writes, in a transaction, mail to those of the readers that choose returns who want the
// post and have no mail of it. It decides about as many as maxMailed allows, in order.
//
// It costs two reads, with settings what readers.In costs for each 50 readers, one for each whom
// the post names, one for each 30 who want it, or if they have mail for each document of it, and
// a write for each 50.
// The first read is of the job: only the step that has its lease commits, so no other one mails a reader
// meanwhile whom the query has not found.
//
// A crash right after the commit leaves the page to be repeated. It finds who has mail.
func (x *Delivery) bring(ctx context.Context, job chunker.Job, choose func(*firestore.Transaction, posts.Post) ([]string, error)) (f found, err error) {
	p := job.Args[schema.ArgPost]
	err = work.UntilSettled(ctx, func() (stale int, err error) {
		err = x.db.Client.RunTransaction(readers.Only(posts.Only(ctx, x.db)), func(_ context.Context, tx *firestore.Transaction) error {
			f = found{}
			if err := x.engine.HeldIn(tx, job); err != nil {
				return err
			}
			snap, err := store.GetMaybe(tx, x.db.Post(p))
			if err != nil || !snap.Exists() {
				f.gone = err == nil
				return err
			}
			post, err := posts.Decode(x.db.Options, snap)
			if err != nil || !reaches(post) {
				// The rest of the run finds the same, and so does one more. Then the job is done.
				f.hidden = true
				return x.engine.EnqueueIn(tx, chunker.Spec{ID: job.ID, Kind: job.Kind, Generation: hidden, Args: job.Args})
			}
			some, err := choose(tx, post)
			if err != nil {
				return err
			}
			want, err := x.wanting(tx, post, some, &f)
			if err != nil {
				return err
			}
			if want, err = x.withoutMail(tx, p, want); err != nil {
				return err
			}
			for part := range slices.Chunk(want, MaxReaders) {
				if err := tx.Create(x.documents().NewDoc(), x.mailOf(post, part)); err != nil {
					return err
				}
			}
			return nil
		})
		if status.Code(err) == codes.Aborted { // a follow, or an edit of the post
			return 1, nil
		}
		return 0, err
	})
	return f, err
}

// documents returns the collection that the extension watches.
func (x *Delivery) documents() *firestore.CollectionRef { return x.db.Client.Collection(names.Mail) }

// mailOf returns a document for readers of a post.
func (x *Delivery) mailOf(post posts.Post, readers []string) map[string]any {
	data := map[string]any{"post": post.ID, "author": post.Author, "kind": post.Kind}
	return map[string]any{
		fieldReaders: readers, fieldPost: post.ID,
		"template": map[string]any{"name": x.opts.Template, "data": data},
	}
}

// wanting returns those among some who want a post, at most maxMailed, and counts in f those
// whom it has decided about.
func (x *Delivery) wanting(tx *firestore.Transaction, post posts.Post, some []string, f *found) (want []string, err error) {
	for part := range slices.Chunk(some, settingsAtOnce) {
		if len(want) == maxMailed {
			break
		}
		decided, err := readers.In(tx, x.db, post.ID, part)
		if err != nil {
			return nil, err
		}
		blocked, err := x.blocked(tx, post, part)
		if err != nil {
			return nil, err
		}
		for _, r := range part {
			if len(want) == maxMailed {
				break
			}
			f.looked++
			if d := decided[r]; r != post.Author && !blocked[r] && d.Wants(post.Author, post.Kind) && !d.HidesPost {
				want = append(want, r)
			}
		}
	}
	return want, nil
}

// blocked returns who among some blocks the post's author, of those whom the post names. Others
// follow the author or a group.
func (x *Delivery) blocked(tx *firestore.Transaction, post posts.Post, some []string) (map[string]bool, error) {
	named := slices.DeleteFunc(slices.Clone(some), func(r string) bool { return !slices.Contains(post.Recipients, r) })
	if len(named) == 0 {
		return nil, nil //nolint:nilnil // nobody
	}
	refs := make([]*firestore.DocumentRef, len(named))
	for n, r := range named {
		refs[n] = x.db.Block(r, post.Author)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	blocked := map[string]bool{}
	for n, doc := range docs {
		blocked[named[n]] = doc.Exists()
	}
	return blocked, nil
}

// withoutMail returns those among some whom no document of post p names.
func (x *Delivery) withoutMail(tx *firestore.Transaction, p string, some []string) ([]string, error) {
	named := map[string]bool{}
	for part := range slices.Chunk(some, maxAny) {
		q := x.documents().Where(fieldPost, "==", p).Where(fieldReaders, "array-contains-any", part).Select(fieldReaders)
		docs, err := tx.Documents(q).GetAll()
		if err != nil {
			return nil, err
		}
		for _, doc := range docs {
			for _, r := range readersOf(doc) {
				named[r] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(some), func(r string) bool { return named[r] }), nil
}

// readersOf returns the readers that a document names.
func readersOf(doc *firestore.DocumentSnapshot) (readers []string) {
	values, _ := schema.FieldsOf(doc, fieldReaders)[fieldReaders].([]any)
	for _, v := range values {
		if r, ok := v.(string); ok {
			readers = append(readers, r)
		}
	}
	return readers
}
