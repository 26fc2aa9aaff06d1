package sample

import (
	"context"
	"fmt"
	"slices"

	"example.com/relationindex/audit/entries"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/schema"
	"example.com/relationindex/timelines"
)

// Finding is a document that was wrong twice.
type Finding struct {
	Account  string `json:"account"`  // the checked account
	Document string `json:"document"` // its path below the database
	Problem  string `json:"problem"`

	Violation verify.Violation `json:"-"` // zero: the finding is in a timeline

	about []string // accounts and posts
}

func (f Finding) String() string { return fmt.Sprintf("%s: %s", f.Document, f.Problem) }

func ofViolation(account string, v verify.Violation) Finding {
	return Finding{account, v.Document, v.Problem, v, []string{account, v.Author, v.Follower, v.Post}}
}

func ofProblem(account string, p entries.Problem) Finding {
	if p.Post != "" {
		p.Problem = p.Post + ": " + p.Problem
	}
	return Finding{account, p.Document, p.Problem, verify.Violation{}, []string{account, p.Post}}
}

// checking is entries.Check or entries.Repair.
type checking func(ctx context.Context, x *timelines.Delivery, o entries.Options) (entries.Checked, error)

// underWay holds the accounts and posts of unfinished jobs.
type underWay struct {
	about map[string]bool // accounts and posts
	many  bool            // there are more jobs than were read
}

// maxJobs is the most unfinished jobs that are read.
const maxJobs = 1000

// jobs reads the accounts and posts of unfinished jobs. It costs a read for each job.
func (r *run) jobs(ctx context.Context) (u underWay, err error) {
	u.about = map[string]bool{}
	jobs, err := r.Engine.Unfinished(ctx, maxJobs)
	for _, job := range jobs {
		for _, arg := range []string{schema.ArgAuthor, schema.ArgReader, schema.ArgPost, schema.ArgAccount} {
			if id := job.Args[arg]; id != "" {
				u.about[id] = true
			}
		}
	}
	u.many = len(jobs) == maxJobs
	return u, err
}

// touch reports whether a job may be about to mend the finding.
func (u underWay) touch(f Finding) bool {
	return u.many || slices.ContainsFunc(f.about, func(id string) bool { return u.about[id] })
}
