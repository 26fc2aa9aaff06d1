package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
)

func TestJobsWaitForWhatHasEnded(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-ended"
	putJobs(t, project, someJobs(time.Now())...)
	wait := func(ids ...string) outcome {
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
		if out.want(t, tt.code); out.stdout != tt.want {
			t.Errorf("%s (-want +got):\n%s", ids, cmp.Diff(tt.want, out.stdout))
		}
	}
	wait("c-done", "none", "nil").want(t, exitFailed, `there is no job "none"`, `there is no job "nil"`)
	relationindex(t, "jobs", "wait", "--project", "demo-jobs-idle").want(t, exitOK, "no job is unfinished\n")
}

// Without an ID the unfinished ones are waited for, a parent for its lanes; and
// not for longer than was asked.
func TestJobsWaitUntilTheTimeIsOver(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-timeout"
	putJobs(t, project, someJobs(time.Now())...)
	out := relationindex(t, "jobs", "wait", "--timeout", "100ms", "--project", project)
	out.want(t, exitFailed)
	for _, line := range []string{
		"queued    a-queued  0 documents: Aborted: posts/p1: contention\n",
		"running   b-running  40 of 120 documents\n",
		"running   parent  6 of 12 documents\n",
	} {
		if !strings.Contains(out.stdout, line) {
			t.Errorf("it does not say %q: %q", line, out.stdout)
		}
	}
	if lines := strings.Count(out.stdout, "\n"); lines != 4 || !strings.HasSuffix(out.stdout, "\nwait: 0 done, 3 unfinished after 100ms\n") || out.stderr != "" {
		t.Errorf("it says %q, and %q on standard error", out.stdout, out.stderr)
	}
}

// While it waits jobs end, in any way, and the wait with the last of them.
func TestJobsWaitSeesHowJobsEnd(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-end"
	now := time.Now()
	was := []chunker.Job{
		{ID: "1", State: chunker.Queued}, {ID: "2", State: chunker.Running}, {ID: "3", State: chunker.Queued}, {ID: "4", State: chunker.Running, Done: 4},
	}
	is := []chunker.Job{
		{ID: "1", State: chunker.Done, Done: 10, FinishedAt: &now},
		{ID: "2", State: chunker.Failed, Done: 2, FinishedAt: &now, Error: &chunker.Failure{Code: "Internal", Message: "it\x1b[31m broke\nhere", At: now}},
		{ID: "3", State: chunker.Canceled, FinishedAt: &now},
	}
	putJobs(t, project, was[:3]...) // the fourth was deleted since it was listed
	out := &lines{first: make(chan struct{})}
	end := make(chan error, 1)
	go func() {
		end <- wait(t.Context(), chunker.New(client(t, project), chunker.Options{}), was, out, time.Minute)
	}()
	<-out.first
	putJobs(t, project, is...)
	if err := <-end; !errors.Is(err, errReported) {
		t.Errorf("the wait ends with %v", err)
	}
	for _, line := range []string{
		"done      1  10 documents\n", "failed    2  2 documents: Internal: it [31m broke\n", "canceled  3  0 documents\n", "deleted   4  4 documents\n",
	} {
		if strings.Count(out.text.String(), line) != 1 {
			t.Errorf("it does not say once %q", line)
		}
	}
	if text := out.text.String(); strings.Count(text, "\n") != 5 || !strings.HasSuffix(text, "\nwait: 1 done, 1 failed, 1 canceled, 1 deleted\n") {
		t.Errorf("it says %q", text)
	}
}

// lines is an output that tells of its first line.
type lines struct {
	text  strings.Builder // written by the wait alone
	first chan struct{}
}

func (l *lines) Write(p []byte) (int, error) {
	if l.text.Len() == 0 {
		close(l.first)
	}
	return l.text.Write(p)
}
