package scale

import (
	"context"
	"fmt"
	"path"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema/names"
)

// form is a form of timelines, as a loop without any care would write them: what it reads of
// a reader's timeline, and what it writes.
type form struct {
	// reads are the documents that an entry needs, by the posts that the reader had before.
	// Each is a call for all readers of a transaction.
	reads func(before int) []string
	write func(tx *firestore.Transaction, timeline *firestore.CollectionRef, read map[string]*firestore.DocumentSnapshot, before int, post string, entry map[string]any) error
}

const (
	openBucket  = "open"
	place       = "1764104871000000/p" // where a bucket begins and ends
	readersInTx = 100                  // as package timelines has it
)

func closedBucket(n int) string { return fmt.Sprintf("past-%08d", n) }

func noReads(int) []string { return nil }

// writeItem writes a document.
func writeItem(tx *firestore.Transaction, timeline *firestore.CollectionRef, _ map[string]*firestore.DocumentSnapshot, _ int, post string, entry map[string]any) error {
	item := map[string]any{"posts": []string{post}, "accounts": []any{entry["author"]}}
	for name, value := range entry {
		item[name] = value
	}
	return tx.Set(timeline.Doc(post), item)
}

// writeDay adds an entry to the document of the day.
func writeDay(tx *firestore.Transaction, timeline *firestore.CollectionRef, _ map[string]*firestore.DocumentSnapshot, _ int, post string, entry map[string]any) error {
	day := time.UnixMicro(entry["at"].(int64)).UTC().Format(time.DateOnly)
	return tx.Set(timeline.Doc(day), map[string]any{
		"day": day, "entries": map[string]any{post: entry},
		"posts": firestore.ArrayUnion(post), "accounts": firestore.ArrayUnion(entry["author"]),
	}, firestore.MergeAll)
}

// readOpen reads open, and what shows that there was none before.
func readOpen(before int) []string {
	if before == 0 {
		return []string{openBucket, closedBucket(1)}
	}
	return []string{openBucket}
}

// writeOpen adds an entry to open, which has room.
func writeOpen(tx *firestore.Transaction, timeline *firestore.CollectionRef, read map[string]*firestore.DocumentSnapshot, before int, post string, entry map[string]any) error {
	open := read[openBucket]
	if !open.Exists() {
		return tx.Create(timeline.Doc(openBucket), openWith(1, before, post, entry))
	}
	return tx.Update(open.Ref, []firestore.Update{
		{Path: "total", Value: before + 1},
		{FieldPath: []string{"entries", post}, Value: entry},
		{Path: "posts", Value: firestore.ArrayUnion(post)},
		{Path: "accounts", Value: firestore.ArrayUnion(entry["author"])},
	}, firestore.LastUpdateTime(open.UpdateTime))
}

// readOnes reads what readOpen does, and the bucket that is closed over.
func readOnes(before int) []string { return []string{openBucket, closedBucket(max(before, 1))} }

// writeOnes closes open, which has one entry, and puts the new one into a fresh one.
func writeOnes(tx *firestore.Transaction, timeline *firestore.CollectionRef, read map[string]*firestore.DocumentSnapshot, before int, post string, entry map[string]any) error {
	open := read[openBucket]
	fresh := openWith(before+1, before, post, entry)
	if !open.Exists() {
		return tx.Create(timeline.Doc(openBucket), fresh)
	}
	data := open.Data()
	err := tx.Create(timeline.Doc(closedBucket(before)), map[string]any{
		"entries": data["entries"], "posts": data["posts"], "accounts": data["accounts"], "sequence": before, "from": place, "to": place,
	})
	if err != nil {
		return err
	}
	var updates []firestore.Update
	for name, value := range fresh {
		updates = append(updates, firestore.Update{Path: name, Value: value})
	}
	return tx.Update(open.Ref, updates, firestore.LastUpdateTime(open.UpdateTime))
}

func openWith(sequence, before int, post string, entry map[string]any) map[string]any {
	return map[string]any{
		"entries": map[string]any{post: entry}, "posts": []string{post}, "accounts": []any{entry["author"]},
		"sequence": sequence, "total": before + 1, "from": place,
	}
}

// bare is the bare loop over timelines: what a post to a crowd must do, with so much of it
// at a time. It looks who has the post already, reads each index document once, and commits
// as many entries at a time as package timelines. Each transaction reads the post and the
// index document's version, as it must so that nobody who leaves keeps an entry.
type bare struct {
	crowd
	form     form
	parallel int
}

// run brings a post to the crowd. before is how many posts it has brought there. The post is not in
// posts, or the functions would bring it too.
func (l bare) run(b *testing.B, post string, before int) time.Duration {
	b.Helper()
	ref := l.client.Doc("posts_of_the_loop/" + post)
	return timed(func() {
		_, err := ref.Set(b.Context(), postBy(l.author))
		must(b, err)
		for range 2 { // the event asks who has the post, and its job: the emulator looks at every document
			have, err := l.client.CollectionGroup(names.Timeline).Where("posts", "array-contains", post).Limit(1).Documents(b.Context()).GetAll()
			must(b, err)
			if len(have) > 0 {
				b.Fatalf("%s is there already", post)
			}
		}
		type part struct {
			index   *firestore.DocumentRef
			readers []any
		}
		var parts []part
		for n := range l.documents {
			doc, err := l.document(n).Get(b.Context())
			must(b, err)
			for readers := range slices.Chunk(doc.Data()["followers"].([]any), readersInTx) {
				parts = append(parts, part{doc.Ref, readers})
			}
		}
		inParallel(b, len(parts), l.parallel, func(ctx context.Context, n int) error {
			ctx = wire.WithMask(ctx, func(document string) bool { return path.Base(path.Dir(document)) == names.FollowersIndex }, "version")
			var err error
			for range 5 {
				err = l.client.RunTransaction(ctx, func(ctx context.Context, tx *firestore.Transaction) error {
					return l.bring(ctx, tx, ref, parts[n].index, parts[n].readers, before)
				})
				if !store.IsStale(err) { // a busy emulator has tried a commit twice
					break
				}
			}
			return err
		})
	})
}

// bring is one transaction of run.
func (l bare) bring(ctx context.Context, tx *firestore.Transaction, post, index *firestore.DocumentRef, readers []any, before int) error {
	doc, err := tx.Get(post)
	if err != nil {
		return err
	}
	if _, err := tx.Get(index); err != nil {
		return err
	}
	read := make([]map[string]*firestore.DocumentSnapshot, len(readers))
	for n := range readers {
		read[n] = map[string]*firestore.DocumentSnapshot{}
	}
	for _, name := range l.form.reads(before) {
		refs := make([]*firestore.DocumentRef, len(readers))
		for n, r := range readers {
			refs[n] = l.timeline(r).Doc(name)
		}
		docs, err := l.client.GetAll(ctx, refs)
		if err != nil {
			return err
		}
		for n, doc := range docs {
			read[n][name] = doc
		}
	}
	data := doc.Data()
	at, _ := data["createdAt"].(time.Time)
	entry := map[string]any{
		"post": post.ID, "author": l.author, "audience": l.author, "at": at.UnixMicro(), "fields": map[string]any{"text": data["text"]},
	}
	for n, r := range readers {
		if open := read[n][openBucket]; open != nil && open.Exists() {
			if _, err := open.DataAtPath([]string{"entries", post.ID}); err == nil {
				continue // by an earlier try
			}
		}
		if err := l.form.write(tx, l.timeline(r), read[n], before, post.ID, entry); err != nil {
			return err
		}
	}
	return nil
}

func (l bare) timeline(reader any) *firestore.CollectionRef {
	return l.client.Collection(fmt.Sprintf("users/%s/%s", reader, names.Timeline))
}

// writePost writes a post as an app does, now.
func writePost(ctx context.Context, client *firestore.Client, author, post string) error {
	_, err := client.Doc("posts/"+post).Create(ctx, postBy(author))
	return err
}

func postBy(author string) map[string]any {
	return map[string]any{"userId": author, "audience": author, "hidden": false, "createdAt": firestore.ServerTimestamp, "text": "first"}
}
