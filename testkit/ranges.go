package testkit

import (
	"fmt"
	"slices"
	"time"

	"example.com/relationindex/chunker"
	"example.com/relationindex/schema"
)

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
