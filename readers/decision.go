package readers

import (
	"context"
	"path"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// Decision is a reader's state, as a transaction has read it. The zero value accepts every post.
type Decision struct {
	Settings
	IsIdle    bool // when it was read
	HidesPost bool // of [In]
}

// Wants reports whether a fan-out brings the reader a post: if they are active, and do not hide its kind.
func (d Decision) Wants(author, kind string) bool { return !d.IsIdle && !d.Hides(author, kind) }

// Only returns a context in which reads of settings by name return only the deciding fields.
func Only(ctx context.Context) context.Context {
	ours := func(document string) bool {
		in := path.Base(path.Dir(document))
		return in == names.ReaderSettings || in == names.Hides
	}
	return wire.WithMask(ctx, ours, FieldSeenAt, FieldHide, FieldShow, fieldGroups, fieldAll)
}

// In reads, in a transaction under [Only], the readers' decisions about a post. With post "", it reads only their
// settings. A reader's change of a decision waits for the commit, or the transaction fails. So of a change and a write
// that relies on the decision, the later one sees the earlier.
//
// In costs a read for each reader, and one for [Hidden]. For each reader in whose group somebody hides the post, it
// costs another: see [MayHide]. Without settings in the options, it costs nothing, and every reader accepts every post.
func In(tx *firestore.Transaction, db *schema.Database, post string, readers []string) (map[string]Decision, error) {
	all := make(map[string]Decision, len(readers))
	if !db.Config.ReaderSettings || len(readers) == 0 {
		return all, nil
	}
	var refs []*firestore.DocumentRef
	for _, r := range readers {
		refs = append(refs, db.Decided(r))
	}
	if post != "" {
		refs = append(refs, db.Hides(post))
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	hidden := map[string]bool{}
	if post != "" {
		may := MayHide(docs[len(readers)])
		some := slices.DeleteFunc(slices.Clone(readers), func(r string) bool { return !may(r) })
		if hidden, err = marked(tx, some, func(r string) *firestore.DocumentRef { return db.HiddenPost(r, post) }); err != nil {
			return nil, err
		}
	}
	for n, r := range readers {
		s := Decode(docs[n])
		all[r] = Decision{s, s.Idle(docs[n].ReadTime, db), hidden[r]}
	}
	return all, nil
}

// HiddenOf returns the posts that a reader hides, among posts, in a transaction. It costs a read for each post. Without
// settings in the options, it returns none.
func HiddenOf(tx *firestore.Transaction, db *schema.Database, reader string, posts []string) (map[string]bool, error) {
	if !db.Config.ReaderSettings {
		return map[string]bool{}, nil
	}
	return marked(tx, posts, func(p string) *firestore.DocumentRef { return db.HiddenPost(reader, p) })
}

// marked returns the ids that have a mark. It costs a read for each id.
func marked(tx *firestore.Transaction, ids []string, mark func(id string) *firestore.DocumentRef) (map[string]bool, error) {
	there := map[string]bool{}
	if len(ids) == 0 {
		return there, nil
	}
	refs := make([]*firestore.DocumentRef, len(ids))
	for n, id := range ids {
		refs[n] = mark(id)
	}
	docs, err := tx.GetAll(refs)
	for n, snap := range docs {
		there[ids[n]] = snap.Exists()
	}
	return there, err
}

// Fields of _hides/{post}.
const (
	fieldGroups = "groups" // groups of readers who hide the post, or have hidden it
	fieldAll    = "all"    // true: the groups are so many that fan-outs ignore them, and check every reader
)

// mostGroups is the number of groups after which a post counts as hidden by all groups. From then on, nobody writes the
// document, which fan-outs of the post lock.
const mostGroups = 64

// GroupOf returns the group of a reader, one of 4,096. Many readers share a group, so a group identifies nobody.
func GroupOf(reader string) string { return schema.MarkOf(reader)[:2] }

// MayHide returns a function that reports whether a reader may be hiding a post, by _hides/{post} as it was read.
// Readers may be hiding the post if somebody in their group does. If the document is damaged, or has too many groups,
// every reader may be. So an account that hides posts that it may not read costs their fan-outs a read for one reader
// in 4,096.
func MayHide(hides *firestore.DocumentSnapshot) func(reader string) bool {
	groups, says := []any(nil), true
	if hides.Exists() {
		fields := schema.FieldsOf(hides, fieldGroups, fieldAll)
		groups, says = fields[fieldGroups].([]any)
		says = says && fields[fieldAll] != true
	}
	return func(reader string) bool { return !says || slices.Contains(groups, any(GroupOf(reader))) }
}

// Hidden writes to _hides/{post} that somebody in the reader's group hides a post. Fan-outs of the post then check the
// group's readers. It costs two reads, and the first time a write. It returns false, and writes nothing, if the reader
// does not hide the post (any more).
//
// Call it before you mark the entry: a fan-out that commits earlier leaves an entry to mark, and a later one checks for
// itself. The group stays when the post is deleted: if the post comes back, its reader still hides it.
func Hidden(ctx context.Context, db *schema.Database, reader, post string) (there bool, err error) {
	docs, err := db.Client.GetAll(ctx, []*firestore.DocumentRef{db.Hides(post), db.HiddenPost(reader, post)})
	if err != nil {
		return false, err
	}
	if there = MayHide(docs[0])(reader); there || !docs[1].Exists() {
		return there, nil
	}
	groups, _ := schema.FieldsOf(docs[0], fieldGroups)[fieldGroups].([]any)
	added := map[string]any{fieldGroups: firestore.ArrayUnion(GroupOf(reader))}
	if len(groups) >= mostGroups {
		added[fieldAll] = true
	}
	_, err = db.Hides(post).Set(ctx, added, firestore.MergeAll)
	return err == nil, err
}
