package stories

import (
	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/accounts"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/chunker"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/clients"
)

// Feed returns the ids of a reader's posts as their client sees them, newest first.
func (a *App) Feed(reader string) []string {
	a.T.Helper()
	feed, err := clients.ReadFeed(a.T.Context(), a.Client, reader, 50)
	if err != nil {
		a.T.Fatal(err)
	}
	posts := []string{}
	for _, entry := range feed {
		posts = append(posts, entry.Post)
	}
	return posts
}

// WantFeed checks what Feed returns.
func (a *App) WantFeed(reader string, want ...string) {
	a.T.Helper()
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, a.Feed(reader)); diff != "" {
		a.T.Errorf("feed of %s (-want +got):\n%s", reader, diff)
	}
}

// Data returns the fields of a document that must exist.
func (a *App) Data(path string) map[string]any {
	a.T.Helper()
	doc, err := a.Client.Doc(path).Get(a.T.Context())
	if err != nil {
		a.T.Fatal(err)
	}
	return doc.Data()
}

// Count returns the number of documents in a collection.
func (a *App) Count(collection string) int {
	a.T.Helper()
	docs, err := a.Client.Collection(collection).Select().Documents(a.T.Context()).GetAll()
	if err != nil {
		a.T.Fatal(err)
	}
	return len(docs)
}

// Job returns a job that must exist.
func (a *App) Job(id string) chunker.Job {
	a.T.Helper()
	doc, err := a.Client.Doc("_functions/" + id).Get(a.T.Context())
	if err != nil {
		a.T.Fatal(err)
	}
	var job chunker.Job
	if err := doc.DataTo(&job); err != nil {
		a.T.Fatal(err)
	}
	return job
}

// PurgeJob returns the purge job of the only deleted account.
func (a *App) PurgeJob() chunker.Job {
	a.T.Helper()
	jobs, err := chunker.New(a.Client, chunker.Options{}).Named(a.T.Context(), "purge:", 10)
	if err != nil || len(jobs) != 1 {
		a.T.Fatalf("%d purge jobs (%v), want 1", len(jobs), err)
	}
	return jobs[0]
}

// WantVerified checks every invariant.
func (a *App) WantVerified() {
	a.T.Helper()
	for _, v := range a.Violations() {
		a.T.Errorf("verify: %v", v)
	}
}

// Violations returns the violations of invariants that verify finds.
func (a *App) Violations() []verify.Violation {
	a.T.Helper()
	var found []verify.Violation
	report := func(v verify.Violation) { found = append(found, v) }
	if _, err := verify.New(a.Index()).All(a.T.Context(), report, nil); err != nil {
		a.T.Fatal(err)
	}
	return found
}

// Traces returns the documents that name a user.
func (a *App) Traces(user string) (found []string) {
	a.T.Helper()
	report := func(t accounts.Trace) { found = append(found, t.String()) }
	if err := a.Index().Accounts.Traces(a.T.Context(), user, report, nil); err != nil {
		a.T.Fatal(err)
	}
	return found
}

// WantGone checks that no document names a user.
func (a *App) WantGone(user string) {
	a.T.Helper()
	if found := a.Traces(user); len(found) > 0 {
		a.T.Errorf("%s is still named by %q", user, found)
	}
}

// Index opens the index with the functions' configuration.
func (a *App) Index() *social.System {
	a.T.Helper()
	x, err := social.Open(a.Client, a.Config)
	if err != nil {
		a.T.Fatal(err)
	}
	return x
}
