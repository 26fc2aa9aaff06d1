package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/cmd/relationindex/internal/jobs/jobstest"
	"example.com/relationindex/testkit/program"
)

func TestJobsWaitReturnsAtOnceForEndedJobs(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-ended"
	putJobs(t, project, jobstest.Jobs(time.Now())...)
	wait := func(ids ...string) program.Outcome {
		return relationindex(t, append([]string{"jobs", "wait", "--project", project}, ids...)...)
	}
	for ids, tt := range map[string]struct {
		code int
		want string
	}{
		"c-done":          {exitOK, "done      c-done  1 document\nwait: 1 done\n"},
		"c-done c-done":   {exitOK, "done      c-done  1 document\nwait: 1 done\n"},
		"d-failed":        {exitFailed, "failed    d-failed  7 of 9 documents: DataLoss: relation p1_00001:\nwait: 0 done, 1 failed\n"},
		"e-canceled":      {exitFailed, "canceled  e-canceled  5 documents\nwait: 0 done, 1 canceled\n"},
		"c-done none nil": {exitFailed, ""},
	} {
		out := wait(strings.Fields(ids)...)
		if out.Want(t, tt.code); out.Stdout != tt.want {
			t.Errorf("%s (-want +got):\n%s", ids, cmp.Diff(tt.want, out.Stdout))
		}
	}
	wait("c-done", "none", "nil").Want(t, exitFailed, `there is no job "none"`, `there is no job "nil"`)
	relationindex(t, "jobs", "wait", "--project", "demo-jobs-idle").Want(t, exitOK, "no job is unfinished\n")
}

// Without an ID the unfinished ones are waited for, and not for longer than was asked.
func TestJobsWaitUntilTheTimeIsOver(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-timeout"
	putJobs(t, project, jobstest.Jobs(time.Now())...)
	out := relationindex(t, "jobs", "wait", "--timeout", "2s", "--project", project)
	out.Want(t, exitFailed)
	for _, line := range []string{
		"queued    a-queued  0 documents: Aborted: posts/p1: contention\n",
		"running   b-running  40 of 120 documents\n",
		"queued    p~2  3 of 4 documents\n",
	} {
		if !strings.Contains(out.Stdout, line) {
			t.Errorf("it does not say %q: %q", line, out.Stdout)
		}
	}
	if lines := strings.Count(out.Stdout, "\n"); lines != 4 || !strings.HasSuffix(out.Stdout, "\nwait: 0 done, 3 unfinished after 2s\n") || said(out) != "" {
		t.Errorf("it says %q, and %q on standard error", out.Stdout, out.Stderr)
	}
	// The time that the listing takes counts.
	relationindex(t, "jobs", "wait", "--timeout", "1ns", "--project", project).Want(t, exitFailed, "list jobs: ", "deadline exceeded")
}
