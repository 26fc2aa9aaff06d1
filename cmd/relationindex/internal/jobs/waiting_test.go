package jobs

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/firestore"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// putJobs writes jobs to a project that has no functions: they stay as they are.
func putJobs(t *testing.T, c *firestore.Client, jobs ...chunker.Job) {
	t.Helper()
	for _, job := range jobs {
		if _, err := c.Doc("_functions/"+job.ID).Set(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
}

// While it waits jobs end, in any way, and the wait with the last of them.
func TestJobsWaitSeesHowJobsEnd(t *testing.T) {
	t.Parallel()
	c := testkit.Open(t, testkit.ProjectID(t))
	now := time.Now()
	was := []chunker.Job{
		{ID: "1", State: chunker.Queued}, {ID: "2", State: chunker.Running}, {ID: "3", State: chunker.Queued}, {ID: "4", State: chunker.Running, Done: 4},
	}
	is := []chunker.Job{
		{ID: "1", State: chunker.Done, Done: 10, FinishedAt: &now},
		{ID: "2", State: chunker.Failed, Done: 2, FinishedAt: &now, Error: &chunker.Failure{Code: "Internal", Message: "it\x1b[31m broke\nhere", At: now}},
		{ID: "3", State: chunker.Canceled, FinishedAt: &now},
	}
	putJobs(t, c, was[:3]...) // the fourth was deleted since it was listed
	out := &lines{first: make(chan struct{})}
	end := make(chan error, 1)
	go func() {
		end <- wait(t.Context(), chunker.New(c, chunker.Options{}), was, out, time.Now(), time.Minute)
	}()
	<-out.first
	putJobs(t, c, is...)
	if err := <-end; !errors.Is(err, command.ErrReported) {
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

// The time of the listing counts. At the timeout all jobs are read once more.
func TestJobsWaitReadsOnceMoreAtTimeout(t *testing.T) {
	t.Parallel()
	c := testkit.Open(t, testkit.ProjectID(t))
	now := time.Now()
	putJobs(t, c, chunker.Job{ID: "1", State: chunker.Done, FinishedAt: &now}, chunker.Job{ID: "2", State: chunker.Running, Done: 5})
	was := []chunker.Job{{ID: "1", State: chunker.Running}, {ID: "2", State: chunker.Running}}
	var out strings.Builder
	err := wait(t.Context(), chunker.New(c, chunker.Options{}), was, &out, now.Add(-time.Hour), time.Minute)
	want := "done      1  0 documents\nrunning   2  5 documents\nwait: 1 done, 1 unfinished after 1m0s\n"
	if diff := cmp.Diff(want, out.String()); diff != "" || !errors.Is(err, command.ErrReported) {
		t.Errorf("it ends with %v (-want +got):\n%s", err, diff)
	}
}

// A failed read does not end the wait, unless the next read would fail too. In that case, and after a failed last
// read or a cancellation, the command prints the last known states.
func TestJobsWaitContinuesAfterFailedRead(t *testing.T) {
	t.Parallel()
	project := testkit.ProjectID(t)
	now := time.Now()
	putJobs(t, testkit.Open(t, project), chunker.Job{ID: "1", State: chunker.Done, FinishedAt: &now})
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
		"all until it is over": {codes.Unauthenticated, 1000, now.Add(-time.Hour), false, "the last look failed: read jobs: rpc error: code = Unauthenticated desc = no\n" + known + "2m0s\n", command.ErrReported},
		"Ctrl-C":               {codes.Unknown, 1000, now, true, known, interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			looks := 0
			c := testkit.Open(t, project, wire.Interceptor{Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
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
			var out strings.Builder
			err := wait(ctx, chunker.New(c, chunker.Options{}), was, &out, tt.started, 2*time.Minute)
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
