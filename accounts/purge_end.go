package accounts

import (
	"context"
	"slices"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/jobdocs"
	"example.com/relationindex/internal/store"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/names"
)

// pageEnd deletes all other documents that name the account. Its last page hands over, so that the pages before are not
// repeated if the next step dies. That step ends the mark. Repeated pages would write it anew, and find the profile of an
// account that is back, and fail a purge that has deleted everything.
func (x *Lifecycle) pageEnd(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, limit int) (page chunker.Page, err error) {
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
		if err := x.gone(ctx, job); err != nil {
			return 0, err
		}
		more := len(blocked) == limit
		page = chunker.Page{Done: len(blocked), More: more, HandOver: !more}
		stale, err := x.removeListed(ctx, slices.Concat(blocked, jobs))
		if err != nil || stale > 0 || page.More {
			return stale, err
		}
		// The errors that this account caused are no longer of use.
		if err := x.engine.Redact(ctx, u, func(message string) bool { return mentions(x.db.Config, message, u) }); err != nil {
			return 0, err
		}
		return 0, x.deleteGhost(ctx, u)
	})
	return page, err
}

// jobsOf returns the documents of jobs that name u, but not of purges: jobs for u's index documents, damage and profile,
// by their ids, and jobs of any kind with u in an argument. So a job of another account goes too, such as a follow or a
// block of u that waits for a later hour: the purge ends that itself. Only a post of u that is kept, and names somebody
// who has just ended a block of u, then comes by a repair. jobsOf skips jobs of account u:7, whose ids have the same
// prefix.
func (x *Lifecycle) jobsOf(ctx context.Context, u string) ([]*firestore.DocumentSnapshot, error) {
	jobs, err := x.db.Client.GetAll(ctx, []*firestore.DocumentRef{x.engine.Ref(schema.ProfileJobID(u))})
	if err != nil {
		return nil, err
	}
	prefix := schema.IndexJobID(u, "")
	for _, q := range []firestore.Query{
		x.engine.DocumentsNamed(prefix).Select("kind"),
		x.engine.Naming(u, schema.ArgAccount, schema.ArgAuthor, schema.ArgReader).Select("kind"),
	} {
		for doc, err := range store.Documents(ctx, q) {
			if err != nil {
				return nil, err
			}
			jobs = append(jobs, doc)
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(jobs, func(job *firestore.DocumentSnapshot) bool {
		id := job.Ref.ID
		part, named := strings.CutPrefix(id, prefix)
		kind, _ := schema.FieldsOf(job, "kind")["kind"].(string)
		skip := seen[id] || !job.Exists() || kind == schema.KindPurge || named && strings.Contains(part, ":")
		seen[id] = true
		return skip
	}), nil
}

// mentions reports whether a text has u as a word, without a usual id character before or after it. In a path, the name
// of a collection does not count.
func mentions(o schema.Config, text, u string) bool {
	for at := 0; ; at++ {
		n := strings.Index(text[at:], u)
		if n < 0 {
			return false
		}
		at += n
		end := at + len(u)
		if (at == 0 || !jobdocs.InWord(text[at-1])) && (end == len(text) || !jobdocs.InWord(text[end])) && !isCollection(o, text, at, end) {
			return true
		}
	}
}

// isCollection reports whether text[at:end] is the name of a collection, in a path that
// continues. An account with such an id is named only after the users/ that begins a
// path.
func isCollection(o schema.Config, text string, at, end int) bool {
	if !strings.HasPrefix(text[end:], "/") {
		return false
	}
	c := o.Collections()
	if !slices.Contains([]string{c.Users, c.Posts, c.Followers, names.FollowersIndex, names.Following, names.Blocked, names.Requests, names.Relations, names.Tombstones, names.Purging,
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
