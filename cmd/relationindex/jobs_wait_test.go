package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/devhost/local"
	"example.com/relationindex/internal/runtime/wire"
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
	out := relationindex(t, "jobs", "wait", "--timeout", "2s", "--project", project)
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
	if lines := strings.Count(out.stdout, "\n"); lines != 4 || !strings.HasSuffix(out.stdout, "\nwait: 0 done, 3 unfinished after 2s\n") || out.said() != "" {
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
		end <- wait(t.Context(), chunker.New(client(t, project), chunker.Options{}), was, out, time.Now(), time.Minute)
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

// The time that the listing takes counts, and when the time is over all jobs are
// looked at once more.
func TestJobsWaitLooksOnceMoreWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-last-look"
	now := time.Now()
	putJobs(t, project, chunker.Job{ID: "1", State: chunker.Done, FinishedAt: &now}, chunker.Job{ID: "2", State: chunker.Running, Done: 5})
	was := []chunker.Job{{ID: "1", State: chunker.Running}, {ID: "2", State: chunker.Running}}
	var out strings.Builder
	err := wait(t.Context(), chunker.New(client(t, project), chunker.Options{}), was, &out, now.Add(-time.Hour), time.Minute)
	want := "done      1  0 documents\nrunning   2  5 documents\nwait: 1 done, 1 unfinished after 1m0s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || !errors.Is(err, errReported) {
		t.Errorf("it ends with %v (-want +got):\n%s", err, diff)
	}
	relationindex(t, "jobs", "wait", "--timeout", "1ns", "--project", project).want(t, exitFailed, "list jobs: ", "deadline exceeded")
}

// A look that fails does not end the wait, unless the next would fail too. Then,
// and when the last look fails or somebody cancels, it says what is known.
func TestJobsWaitWhenLooksFail(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-failing"
	now := time.Now()
	putJobs(t, project, chunker.Job{ID: "1", State: chunker.Done, FinishedAt: &now})
	was := []chunker.Job{{ID: "1", State: chunker.Running, Done: 5}}
	interrupted := errors.New("interrupted")
	const known = "running   1  5 documents\nwait: 0 done, 1 unfinished after "
	for name, tt := range map[string]struct {
		code    codes.Code // none that the client library repeats by itself
		looks   int        // that fail
		started time.Time
		cancel  bool // at the first look
		want    string
		end     error
	}{
		"Unknown":              {codes.Unknown, 1, now, false, "done      1  0 documents\nwait: 1 done\n", nil},
		"Canceled":             {codes.Canceled, 1, now, false, "done      1  0 documents\nwait: 1 done\n", nil},
		"Aborted":              {codes.Aborted, 2, now, false, "done      1  0 documents\nwait: 1 done\n", nil},
		"PermissionDenied":     {codes.PermissionDenied, 1, now, false, known, status.Error(codes.PermissionDenied, "no")},
		"NotFound":             {codes.NotFound, 1, now, false, known, status.Error(codes.NotFound, "no")},
		"all until it is over": {codes.Unauthenticated, 1000, now.Add(-time.Hour), false, "the last look failed: read jobs: rpc error: code = Unauthenticated desc = no\n" + known + "2m0s\n", errReported},
		"Ctrl-C":               {codes.Unknown, 1000, now, true, known, interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			looks := 0
			c, err := local.Open(ctx, project, running.FirestoreHost, wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
				if strings.HasSuffix(method, "/BatchGetDocuments") {
					if tt.cancel {
						cancel(interrupted)
					}
					if looks++; looks <= tt.looks {
						return nil, status.Error(tt.code, "no")
					}
				}
				return open(ctx, desc, cc, method, opts...)
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			var out strings.Builder
			err = wait(ctx, chunker.New(c, chunker.Options{}), was, &out, tt.started, 2*time.Minute)
			if !strings.HasPrefix(out.String(), tt.want) || !errors.Is(err, tt.end) {
				t.Errorf("it says %q and ends with %v, want %q and %v", &out, err, tt.want, tt.end)
			}
		})
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
