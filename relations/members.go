package relations

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/internal/wire"
)

// membership is what a members transaction means for one follower.
type membership struct {
	// indexes are the index documents whose relations have to be brought up to
	// date before the follower's event may be acknowledged. An event that
	// changed nothing names them too: the one before it may have died between
	// the members transaction and sync.
	indexes []string
	// left is the update time of a mirror that is leaving; zero if none is.
	left time.Time
}

// Follow makes the index agree with whether f follows u now: f's place in an
// index document of u, its mirror, and the relations of u's posts. When it
// returns nil all of that is durable, in documents or in a job.
//
// Called twice, or when nothing has changed, it writes nothing. It is safe to
// call at once for the same and for other followers; calls for one author
// share transactions.
//
// It costs, for an author with n ≤ InlineLimit posts, when no index document
// is opened: a follow 2 + n writes; an unfollow 3 + n.
// ARCHITECTURE.md has the reads.
func (x *Index) Follow(ctx context.Context, u, f string) error {
	document := x.opts.Collections.Users + "/" + u + "/" + x.opts.Collections.Followers + "/" + f
	if err := checkFollow(u, f); err != nil {
		return badDocument(document, "%v; the document is ignored", err)
	}
	m, err := x.members.do(ctx, u, f)
	if err != nil {
		return fmt.Errorf("members of %s: %w", u, err)
	}
	// A crash here leaves index documents ahead of their relations. The event
	// comes again, finds the mirror, and syncs.
	for _, i := range m.indexes {
		if _, err := x.syncs.do(ctx, indexKey{u, i}, struct{}{}); err != nil {
			return fmt.Errorf("sync %s/%s: %w", u, i, err)
		}
	}
	if m.left.IsZero() {
		return nil
	}
	// A crash before this write leaves the mirror leaving; the event comes
	// again. The precondition fails when f follows again meanwhile.
	_, err = x.mirror(u, f).Delete(ctx, firestore.LastUpdateTime(m.left))
	if err != nil && !isStale(err) {
		return fmt.Errorf("delete mirror of %s: %w", document, err)
	}
	return nil
}

// commitMembers brings the index documents and mirrors of a batch of u's
// followers up to date, in one transaction. A batch that Firestore refuses as
// it stands is split, so that one follower cannot hold up the others.
func (x *Index) commitMembers(ctx context.Context, u string, batch []string) ([]membership, error) {
	out, err := x.membersTransaction(ctx, u, batch, false)
	if status.Code(err) == codes.AlreadyExists || errors.Is(err, errStale) {
		// users/{u} does not name all index documents: list them.
		out, err = x.membersTransaction(ctx, u, batch, true)
	}
	if status.Code(err) == codes.InvalidArgument && len(batch) > 1 {
		half := len(batch) / 2
		first, err := x.commitMembers(ctx, u, batch[:half])
		if err != nil {
			return nil, err
		}
		second, err := x.commitMembers(ctx, u, batch[half:])
		return append(first, second...), err
	}
	return out, err
}

// membersTransaction is one try of commitMembers. With list it does not trust
// users/{u} but lists the index documents.
//
// Reads: 1 for the user, 2 for each follower, 1 for each index document touched.
// Writes: 1 for each index document changed (2 where some join and some leave
// it), 1 for each mirror changed, 1 for the user when a document was opened.
func (x *Index) membersTransaction(ctx context.Context, u string, batch []string, list bool) ([]membership, error) {
	followers := slices.Compact(slices.Sorted(slices.Values(batch)))
	refs := []*firestore.DocumentRef{x.user(u)}
	for _, f := range followers {
		refs = append(refs, x.follower(u, f), x.mirror(u, f))
	}
	var result map[string]membership
	var leaving []string // followers whose mirrors are the transaction's first writes, in order
	var response firestore.CommitResponse
	err := x.client.RunTransaction(x.withoutFollowers(ctx), func(ctx context.Context, tx *firestore.Transaction) error {
		result, leaving = map[string]membership{}, nil
		snaps, err := tx.GetAll(refs)
		if err != nil {
			return err
		}
		follows := make([]follow, len(followers))
		for n, f := range followers {
			mirror := snaps[2+2*n]
			if follows[n], err = readFollow(f, snaps[1+2*n], mirror); err != nil {
				return err
			}
			result[f] = follows[n].before(mirror.UpdateTime)
			if follows[n].leaves() {
				leaving = append(leaving, f)
			}
		}
		ids, repair, err := x.directoryIn(ctx, tx, u, snaps[0], list)
		if err != nil {
			return err
		}
		documents, err := x.touchedDocuments(tx, u, follows, ids)
		if err != nil {
			return err
		}
		plan := planMembers(follows, documents, len(ids), x.opts)
		if err := x.writeMembers(tx, u, follows, plan); err != nil {
			return err
		}
		for f, i := range plan.placed {
			m := result[f]
			m.left = time.Time{}
			m.indexes = append(m.indexes, i)
			result[f] = m
		}
		if len(plan.opened) == 0 && !repair {
			return nil
		}
		return tx.Set(x.user(u), directoryFields(append(ids, plan.opened...)), firestore.MergeAll)
	}, firestore.WithCommitResponseTo(&response))
	if err != nil {
		return nil, err
	}
	written, err := response.WriteResults()
	if err != nil {
		return nil, err
	}
	for n, f := range leaving {
		m := result[f]
		m.left = written[n].UpdateTime
		result[f] = m
	}
	out := make([]membership, len(batch))
	for n, f := range batch {
		out[n] = result[f]
	}
	return out, nil
}

// writeMembers writes a plan. The mirrors that leave come first, so that their
// update times are the first of the transaction's results.
func (x *Index) writeMembers(tx *firestore.Transaction, u string, follows []follow, plan membersPlan) error {
	for _, f := range follows {
		if f.leaves() {
			if err := tx.Update(x.mirror(u, f.id), []firestore.Update{{Path: fieldLeaving, Value: true}}); err != nil {
				return err
			}
		}
	}
	for _, f := range follows {
		if f.joins() {
			if err := tx.Set(x.mirror(u, f.id), Mirror{IndexID: plan.placed[f.id], CreatedAt: f.since}); err != nil {
				return err
			}
		}
	}
	for _, c := range plan.documents {
		if err := writeDocument(tx, x.indexDocuments(u).Doc(c.id), c); err != nil {
			return err
		}
	}
	return nil
}

func writeDocument(tx *firestore.Transaction, ref *firestore.DocumentRef, c documentChange) error {
	if c.opened {
		c.after.Followers = c.add
		return tx.Create(ref, c.after)
	}
	updates := []firestore.Update{
		{Path: fieldCount, Value: c.after.Count},
		{Path: fieldSizeBytes, Value: c.after.SizeBytes},
		{Path: fieldVersion, Value: c.after.Version},
		{Path: fieldChanges, Value: c.after.Changes},
	}
	if len(c.remove) > 0 {
		remove := firestore.Update{Path: fieldFollowers, Value: firestore.ArrayRemove(anys(c.remove)...)}
		if len(c.add) == 0 {
			return tx.Update(ref, append(updates, remove))
		}
		// One write cannot remove from an array and add to it.
		if err := tx.Update(ref, []firestore.Update{remove}); err != nil {
			return err
		}
	}
	return tx.Update(ref, append(updates, firestore.Update{Path: fieldFollowers, Value: firestore.ArrayUnion(anys(c.add)...)}))
}

// readFollow is what the follower document and the mirror say.
func readFollow(f string, truth, mirror *firestore.DocumentSnapshot) (follow, error) {
	read := follow{id: f}
	if truth.Exists() {
		read.since = truth.CreateTime
		if t, ok := truth.Data()[fieldCreatedAt].(time.Time); ok {
			read.since = t
		}
	}
	if mirror.Exists() {
		read.mirror = new(Mirror)
		if err := mirror.DataTo(read.mirror); err != nil {
			return follow{}, badDocument(mirror.Ref.Path, "%v", err)
		}
	}
	return read, nil
}

// before is the membership as it is when the transaction changes nothing.
func (f follow) before(mirrorUpdated time.Time) membership {
	if f.mirror == nil {
		return membership{}
	}
	m := membership{indexes: []string{f.mirror.IndexID}}
	if f.mirror.Leaving {
		m.left = mirrorUpdated
	}
	return m
}

// directoryIn is u's list of index documents, from the user document where
// that is sound and otherwise (or with list) from the documents themselves;
// then repair says that the user document has to be written.
func (x *Index) directoryIn(ctx context.Context, tx *firestore.Transaction, u string, user *firestore.DocumentSnapshot, list bool) (ids []string, repair bool, err error) {
	dir := readDirectory(user)
	if !list && dir.damage == "" {
		return dir.ids, false, nil
	}
	if ids, err = x.listIndexIDs(tx, u); err != nil {
		return nil, false, err
	}
	if slices.Equal(ids, dir.ids) && dir.damage == "" {
		return ids, false, nil
	}
	x.reportDamage(ctx, u, dir)
	return ids, true, nil
}

// touchedDocuments reads, without their followers, the index documents that
// followers leave, and the latest one if any joins. It returns errStale when
// the latest is not there.
func (x *Index) touchedDocuments(tx *firestore.Transaction, u string, follows []follow, ids []string) (map[string]IndexDocument, error) {
	var want []string
	joins := false
	for _, f := range follows {
		joins = joins || f.joins()
		if f.leaves() {
			want = append(want, f.mirror.IndexID)
		}
	}
	latest := ""
	if joins && len(ids) > 0 {
		latest = ids[len(ids)-1]
		want = append(want, latest)
	}
	slices.Sort(want)
	want = slices.Compact(want)
	documents := map[string]IndexDocument{}
	if len(want) == 0 {
		return documents, nil
	}
	refs := make([]*firestore.DocumentRef, len(want))
	for n, id := range want {
		refs[n] = x.indexDocuments(u).Doc(id)
	}
	docs, err := tx.GetAll(refs)
	if err != nil {
		return nil, err
	}
	for _, doc := range docs {
		if !doc.Exists() {
			continue
		}
		if documents[doc.Ref.ID], err = decodeMeta(doc); err != nil {
			return nil, err
		}
	}
	if _, ok := documents[latest]; latest != "" && !ok {
		return nil, errStale
	}
	return documents, nil
}

// withoutFollowers makes reads of index documents under ctx leave out their
// followers: up to 330 KB that members and sync have no use for.
func (x *Index) withoutFollowers(ctx context.Context) context.Context {
	return wire.WithMask(ctx, func(document string) bool {
		collection := path.Dir(document)
		return path.Base(collection) == x.opts.Collections.FollowersIndex
	}, metaFields...)
}

func decodeMeta(doc *firestore.DocumentSnapshot) (IndexDocument, error) {
	var meta IndexDocument
	if err := doc.DataTo(&meta); err != nil {
		return IndexDocument{}, badDocument(doc.Ref.Path, "%v", err)
	}
	return meta, nil
}

func anys(ids []string) []any {
	out := make([]any, len(ids))
	for n, id := range ids {
		out[n] = id
	}
	return out
}
