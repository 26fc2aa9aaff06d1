package testkit

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/testkit/stories"
)

// Renew deletes a document and writes it again with the same fields.
func (a *App) Renew(path string) {
	a.T.Helper()
	data := a.Data(path)
	a.Must(a.Client.Doc(path).Delete(a.T.Context()))
	Write(a.T, a.Client, map[string]map[string]any{path: data})
}

// OlderThanAPace waits until a relation is older than a second, which is more than the pace of passes,
// [schema.SyncPace]. A pass reads the index document again if the relation was written within the pace.
func (a *App) OlderThanAPace(path string) {
	a.T.Helper()
	Until(a.T, "the relation is older than the pace of passes", func() bool {
		relation, err := a.Client.Doc(path).Get(a.T.Context())
		return err == nil && time.Since(relation.UpdateTime) > time.Second
	})
}

// AdasApp returns ada's app at rest, with events silenced. Ada has two posts and two fans, each in an
// index document of their own, and follows star.
func AdasApp(t *testing.T, cfg schema.Config) *App {
	cfg.Capacity = 1
	a := NewApp(t, cfg)
	a.Profile("ada", map[string]any{"displayName": "Ada"})
	a.Follow("ada", "star")
	a.Post("of star", "star", stories.Day)
	for n := range 2 {
		a.Follow(fmt.Sprintf("fan%d", n), "ada")
		a.Post(fmt.Sprintf("p%d", n), "ada", stories.Day.Add(time.Duration(n)*time.Hour))
	}
	a.Settle()
	a.Silence()
	return a
}

// FollowEvents handles the event of each follow, an author and a follower, on x. An error fails the
// test.
func (a *App) FollowEvents(x *social.System, follows ...[2]string) {
	a.T.Helper()
	for _, f := range follows {
		if err := x.Graph.Follow(a.T.Context(), f[0], f[1]); err != nil {
			a.T.Errorf("the event of %s's follow of %s: %v", f[1], f[0], err)
		}
	}
}

// IndexDocuments counts the author's index documents.
func (a *App) IndexDocuments() int {
	a.T.Helper()
	docs, err := a.Client.Collection("users/author/followers_index").Select().Documents(a.T.Context()).GetAll()
	a.OK(err)
	return len(docs)
}

// FollowAll writes or deletes follower documents, and handles their events in a process of its own.
func (a *App) FollowAll(readers []string, follow bool) {
	a.T.Helper()
	x := a.Instance()
	var group errgroup.Group
	for _, f := range readers {
		if follow {
			a.Follow(f, "author")
		} else {
			a.Unfollow(f, "author")
		}
		group.Go(func() error { return x.Graph.Follow(a.T.Context(), "author", f) })
	}
	a.OK(group.Wait())
}

// OK ends the test if err is not nil.
func (a *App) OK(err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}

// InRanges is a configuration that splits 11 index documents into three ranges of several pages each.
var InRanges = schema.Config{NoOwnPosts: true, Capacity: 1, InlineLimit: 3, Range: 4, Chunk: 2, Step: time.Nanosecond, CopiedFields: []string{"text"}}

// Followed makes an author with n followers, each in an index document of its own.
func (a *App) Followed(author string, n int) {
	a.T.Helper()
	for i := range n {
		a.Follow(fmt.Sprintf("r%02d", i), author)
	}
	a.Settle()
}

// WantRanges checks the jobs of a post for this number of index documents: one job for each range, all
// jobs done, and all documents counted. It does the same for the jobs of the post's edits, if there are any.
func (a *App) WantRanges(post string, ranges int, documents int64) {
	a.T.Helper()
	jobs, err := a.Instance().Engine.Named(a.T.Context(), schema.PostJobs(post), 100)
	if err != nil {
		a.T.Fatal(err)
	}
	jobs = slices.DeleteFunc(jobs, func(job chunker.Job) bool { return job.Args[schema.ArgDocuments] != fmt.Sprint(documents) })
	if slices.ContainsFunc(jobs, func(job chunker.Job) bool { return job.Args[schema.ArgEdited] != "" }) {
		ranges, documents = 2*ranges, 2*documents
	}
	var done, total int64
	for _, job := range jobs {
		if done += job.Done; job.Total != nil {
			total += *job.Total
		}
		if job.State != chunker.Done {
			a.T.Errorf("the job %s is %s, with the error %+v", job.ID, job.State, job.Error)
		}
	}
	if len(jobs) != ranges || done != documents || total != documents {
		a.T.Errorf("%d jobs with %d documents of %d done, want %d jobs with %d", len(jobs), done, total, ranges, documents)
	}
}
