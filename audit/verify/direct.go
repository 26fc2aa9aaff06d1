package verify

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/posts"
	"example.com/relationindex/schema"
)

// A part of the posts is checked at once: at most this many, with so many bytes of copied
// fields.
const (
	directInPart    = 100
	directPartBytes = heldPostBytes / verifyParallel
)

// checkDirect checks the direct relation of each post, of all authors or of one. There may
// be as many as posts, so it reads both in parts. It returns the audiences of the posts.
func (v *check) checkDirect(ctx context.Context) (map[string]bool, error) {
	q := v.posts().Query
	if v.only != "" {
		q = q.Where(schema.FieldUserID, "==", v.only)
	}
	audiences := map[string]bool{}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(verifyParallel)
	var part []posts.Post
	bytes := 0
	check := func() {
		posts := part
		group.Go(func() error { return v.checkDirectOf(groupCtx, posts) })
		part, bytes = nil, 0
	}
	for doc, err := range store.Documents(groupCtx, q.Select(v.postFields()...)) {
		if err != nil {
			return nil, errors.Join(err, group.Wait())
		}
		post, err := posts.Decode(v.db.Config, doc)
		if v.seenPost(doc, err, post.Bad); err != nil {
			continue // should have no relations
		}
		audiences[post.Audience] = true
		if len(post.Recipients) == 0 {
			continue
		}
		part = append(part, post)
		if bytes += schema.ValueBytes(post.Fields); len(part) == directInPart || bytes > directPartBytes {
			check()
		}
	}
	check()
	return audiences, group.Wait()
}

// errUndated reports a post without a valid createdAt. Its relations have the document's create time instead.
var errUndated = errors.New("createdAt is not a timestamp: lists by time, pull and backfills leave it out")

// seenPost counts a post of any author, and names a post that is skipped: as a whole because of noPost, or only its
// audience or recipients because of bad.
func (v *check) seenPost(doc *firestore.DocumentSnapshot, noPost, bad error) {
	if _, dated := schema.FieldsOf(doc, schema.FieldCreatedAt)[schema.FieldCreatedAt].(time.Time); !dated {
		bad = cmp.Or(bad, errUndated)
	}
	v.strange.Add(doc.Ref, cmp.Or(noPost, bad))
	if v.only != "" {
		return // postsOf counts the posts of the audience
	}
	v.seen(&v.count.Posts, 1)
	if noPost != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.count.Ignored++
	}
}

// checkDirectOf checks the direct relations of posts that have recipients. It reads a block for each recipient.
func (v *check) checkDirectOf(ctx context.Context, posts []posts.Post) error {
	if len(posts) == 0 {
		return nil
	}
	refs := make([]*firestore.DocumentRef, len(posts))
	for n, post := range posts {
		refs[n] = v.db.Relation(post.ID, schema.DirectIndex)
	}
	snaps, err := store.ReadAll(ctx, v.db.Client, refs)
	if err != nil {
		return err
	}
	blocked, err := v.blockedBy(ctx, posts)
	if err != nil {
		return err
	}
	direct := 0
	for n, snap := range snaps {
		post := posts[n]
		at := Violation{Invariant: 3, Document: snap.Ref.Path, Author: post.Author, Post: post.ID, Index: schema.DirectIndex}
		if !snap.Exists() && v.mayLack(post.CreatedAt(), true) {
			continue
		}
		if !snap.Exists() {
			at.Missing = true
			v.violation(at, "relation of post %q and its recipients is missing", post.ID)
			continue
		}
		r := relationOf(snap)
		if r.err == nil && r.marked && r.Audience == "" {
			direct++
		}
		v.checkDirectRelation(at, r, post, blocked)
	}
	v.seen(&v.count.Relations, direct)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.direct += int64(direct)
	return nil
}

// blockedBy returns the blocks of the posts' authors by the posts' recipients, by path.
func (v *check) blockedBy(ctx context.Context, posts []posts.Post) (map[string]bool, error) {
	found, refs := map[string]bool{}, []*firestore.DocumentRef(nil)
	for _, post := range posts {
		for _, r := range post.Recipients {
			ref := v.db.Block(r, post.Author)
			if _, asked := found[ref.Path]; !asked && r != post.Author {
				found[ref.Path], refs = false, append(refs, ref)
			}
		}
	}
	snaps, err := store.ReadAll(ctx, v.db.Client, refs)
	for _, snap := range snaps {
		found[snap.Ref.Path] = snap.Exists()
	}
	return found, err
}

// checkDirectRelation compares a direct relation with its post. Recipients who block the
// author are not in it.
func (v *check) checkDirectRelation(at Violation, r relationCopy, post posts.Post, blocked map[string]bool) {
	if r.err != nil {
		v.violation(at, "not a relation: %v", r.err)
		return
	}
	if r.PostID != post.ID || r.IndexID != schema.DirectIndex {
		v.violation(at, "has the post and index document of %q", schema.RelationID(r.PostID, r.IndexID))
	}
	if !r.marked || r.Audience != "" {
		v.violation(at, "audience is not empty")
	}
	v.checkAuthor(at, r, post.Author)
	if want := schema.RecipientsVersion(post.Recipients); r.IndexVersion != want {
		v.violation(at, "indexVersion is %d, but that of the post's recipients is %d", r.IndexVersion, want)
	}
	if size := schema.IDsBytes(r.Followers); r.SizeBytes != size {
		v.violation(at, "sizeBytes is %d, but its followers have %d", r.SizeBytes, size)
	}
	held := map[string]bool{}
	for _, f := range r.Followers {
		if held[f] {
			v.violation(at, "holds %q twice", f)
		} else if !slices.Contains(post.Recipients, f) {
			v.violation(at, "holds %q, who is no recipient of the post", f)
		} else if blocked[v.db.Block(f, post.Author).Path] {
			v.violation(at, "holds %q, who blocks the author", f)
		}
		held[f] = true
	}
	for _, f := range post.Recipients {
		if r.IndexVersion == schema.RecipientsVersion(post.Recipients) && !held[f] && !blocked[v.db.Block(f, post.Author).Path] {
			v.violation(at, "lacks %q, a recipient of the post who does not block the author", f)
		}
	}
	v.checkFields(at, r, post.Fields)
	v.checkExpiry(at, r, post.CreatedAt())
}

// checkRest finds the relations to which no post and no index document leads. It reads relations, without their
// followers, only if there are more than were seen. For one author, it finds only direct relations.
func (v *check) checkRest(ctx context.Context) error {
	q, seen := v.db.Relations().Query, v.count.Relations
	if v.only != "" {
		q = q.Where(schema.FieldUserID, "==", v.only).Where(schema.FieldAudience, "==", "")
		seen = v.direct
	}
	n, err := bulk.Count(ctx, q)
	if err != nil || n <= seen {
		return err
	}
	var part []relationCopy
	q = q.OrderBy(firestore.DocumentID, firestore.Asc).Select(schema.FieldPostID, schema.FieldUserID, schema.FieldAudience, schema.FieldIndexID)
	for doc, err := range store.Documents(ctx, q) {
		if err != nil {
			return err
		}
		if schema.TextOf(doc, schema.FieldAudience) != "" {
			continue // its audience was checked
		}
		if part = append(part, relationOf(doc)); len(part) == directInPart {
			if err := v.checkRestOf(ctx, part); err != nil {
				return err
			}
			part = nil
		}
	}
	return v.checkRestOf(ctx, part)
}

// checkRestOf reports the relations, none of an audience, that no check before led to.
func (v *check) checkRestOf(ctx context.Context, part []relationCopy) error {
	refs := map[string]*firestore.DocumentRef{}
	for _, r := range part {
		if schema.CheckPostID(r.PostID) == nil {
			refs[r.PostID] = v.db.Post(r.PostID)
		}
	}
	found := map[string]posts.Post{}
	if len(refs) > 0 {
		snaps, err := store.ReadAll(ctx, v.db.Client, slices.Collect(maps.Values(refs)))
		if err != nil {
			return err
		}
		for _, snap := range snaps {
			if post, err := posts.Decode(v.db.Config, snap); snap.Exists() && err == nil {
				found[post.ID] = post
			}
		}
	}
	for _, r := range part {
		if v.ledTo(r, found[r.PostID]) {
			continue
		}
		v.seen(&v.count.Relations, 1)
		at := Violation{Invariant: 3, Document: r.ref.Path, Author: r.UserID}
		if r.err != nil {
			v.violation(at, "not a relation: %v", r.err)
		} else {
			v.violation(at, "post %q does not exist, or has no such relation", r.PostID)
		}
	}
	return nil
}

// ledTo reports whether a relation has the name of one that the post should have.
func (v *check) ledTo(r relationCopy, post posts.Post) bool {
	if post.ID == "" || r.ref.ID != schema.RelationID(post.ID, r.IndexID) {
		return false
	}
	if r.IndexID == schema.DirectIndex {
		return len(post.Recipients) > 0
	}
	return post.Audience != "" && !v.mayLack(post.CreatedAt(), true) && slices.Contains(v.indexes[post.Audience], r.IndexID)
}
