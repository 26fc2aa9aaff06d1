package accounts

import (
	"context"
	"slices"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/runtime/store"
	"example.com/relationindex/internal/runtime/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// pageEnd is the last phase of a purge. It deletes everything else that names the
// account. If the account is back, it deletes none of that, and gives the new followers a
// place.
func (x *Lifecycle) pageEnd(ctx context.Context, job chunker.Job, after *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
	if len(job.Counts) == 0 {
		return chunker.Page{}, nil
	}
	u := job.Args[schema.ArgAuthor]
	err = work.UntilSettled(ctx, func() (int, error) {
		jobs, err := x.jobsOf(ctx, u)
		if err != nil {
			return 0, err
		}
		blocked, err := store.ListPage(ctx, x.blockedOf(u), nil, limit)
		if err != nil {
			return 0, err
		}
		a, err := x.accountOf(ctx, job)
		if err != nil {
			return 0, err
		}
		if a.back() {
			page, err = x.takeUp(ctx, u, after, limit)
			return 0, err
		}
		page = chunker.Page{Done: len(blocked), More: len(blocked) == limit}
		stale, err := work.Each(ctx, x.graph.Pool, blocked, store.DeleteAsListed)
		if err != nil || stale > 0 {
			return stale, err
		}
		stale, err = work.Each(ctx, x.graph.Pool, store.Chunks(jobs, purgeBatch), func(ctx context.Context, part []*firestore.DocumentSnapshot) error {
			return x.deleteWhileGone(ctx, job, part)
		})
		if err != nil || stale > 0 || page.More {
			return stale, err
		}
		// The errors that this account caused concern nobody now.
		if err := x.engine.Redact(ctx, func(message string) bool { return mentions(x.db.Options, message, u) }); err != nil {
			return 0, err
		}
		return 0, x.deleteGhost(ctx, u)
	})
	return page, err
}

// jobsOf returns the documents of the jobs for u's index documents and profile. These
// jobs have no lanes. It skips jobs of account u:7, whose ids have the same prefix.
func (x *Lifecycle) jobsOf(ctx context.Context, u string) ([]*firestore.DocumentSnapshot, error) {
	jobs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.engine.Ref(schema.ProfileJobID(u))})
	if err != nil {
		return nil, err
	}
	if !jobs[0].Exists() {
		jobs = nil
	}
	prefix := schema.IndexJobID(u, "")
	for doc, err := range store.Documents(ctx, x.engine.DocumentsNamed(prefix).Select()) {
		if err != nil {
			return nil, err
		}
		if !strings.Contains(doc.Ref.ID[len(prefix):], ":") {
			jobs = append(jobs, doc)
		}
	}
	return jobs, nil
}

// takeUp puts the followers of an account that is back into its index documents. Their
// events were handled already, but found an edge of the old account. Such an edge names
// an index document that is gone, or that is younger than the edge.
//
// A crash after the deletion of an edge leaves a follower without a place; the page is
// repeated.
func (x *Lifecycle) takeUp(ctx context.Context, u string, after *firestore.DocumentRef, limit int) (chunker.Page, error) {
	follows, err := store.ListPage(ctx, x.followersOf(u), after, limit)
	if err != nil || len(follows) == 0 {
		return chunker.Page{}, err
	}
	edges := make([]*firestore.DocumentRef, len(follows))
	for n, f := range follows {
		edges[n] = x.db.Edge(u, f.Ref.ID)
	}
	places, err := x.db.Client.GetAll(ctx, edges)
	if err != nil {
		return chunker.Page{}, err
	}
	// Read after the edges: the index documents that they name were open by then.
	indexes, err := x.graph.ListQuery(u).Documents(ctx).GetAll()
	if err != nil {
		return chunker.Page{}, err
	}
	opened := map[string]time.Time{}
	for _, doc := range indexes {
		opened[doc.Ref.ID] = doc.CreateTime
	}
	_, err = work.EachFollow(ctx, x.graph.Pool, places, func(ctx context.Context, edge *firestore.DocumentSnapshot) error {
		f := edge.Ref.Parent.Parent.ID
		if schema.CheckFollow(u, f) != nil {
			return nil
		}
		if place, _ := edge.DataAt(schema.FieldIndexID); edge.Exists() && place != "" {
			id, _ := place.(string)
			if followers.OlderThan(edge.UpdateTime, opened[id]) {
				if err := store.DeleteAsListed(ctx, edge); err != nil && !store.IsStale(err) {
					return err
				}
			}
		}
		return x.graph.Follow(ctx, u, f)
	})
	return bulk.PageOf(follows, limit), err
}

// mentions reports whether a text has u as a word, with no usual id character before or
// after it. The name of a collection in a path does not count.
func mentions(o schema.Options, text, u string) bool {
	word := func(c byte) bool {
		return c == '_' || c == '-' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for at := 0; ; at++ {
		n := strings.Index(text[at:], u)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(u)
		if (at == 0 || !word(text[at-1])) && (end == len(text) || !word(text[end])) && !isCollection(o, text, at, end) {
			return true
		}
	}
}

// isCollection reports whether text[at:end] is the name of a collection, in a path that
// continues. An account with such an id is named only after the users/ that begins a
// path.
func isCollection(o schema.Options, text string, at, end int) bool {
	if !strings.HasPrefix(text[end:], "/") {
		return false
	}
	c := o.Collections
	if !slices.Contains([]string{c.Users, c.Posts, c.Followers, names.FollowersIndex, names.Following, names.Blocked, names.Requests, names.Relations, names.Tombstones,
		chunker.DefaultCollection, "projects", "databases", "documents"}, text[at:end]) {
		return false
	}
	before, below := strings.CutSuffix(text[:at], c.Users+"/")
	return !below || strings.HasSuffix(before, "/") && !strings.HasSuffix(before, "/documents/")
}

// deleteGhost deletes a user document that has only fields that functions write.
func (x *Lifecycle) deleteGhost(ctx context.Context, u string) error {
	return x.db.Client.RunTransaction(ctx, func(_ context.Context, tx *firestore.Transaction) error {
		user, err := store.GetMaybe(tx, x.db.User(u))
		if err != nil || !user.Exists() || schema.HasProfile(user) {
			return err
		}
		return tx.Delete(x.db.User(u))
	})
}
