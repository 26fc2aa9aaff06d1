package chunker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/wire"
)

func TestCancelStopsAJobAtItsNextCheckpoint(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	b.fail = func(item string) error {
		if item == "i4" {
			if job, err := b.Cancel(t.Context(), "j"); err != nil || job.State != chunker.Canceled {
				t.Errorf("cancel: %v, job is %s", err, job.State)
			}
		}
		return nil
	}
	if err := b.run("j", b.plenty()); !errors.Is(err, chunker.ErrLeaseLost) {
		t.Errorf("the step that was canceled gets %v, want ErrLeaseLost", err)
	}
	job := b.wantState("j", chunker.Canceled)
	if diff := cmp.Diff(all(1)[:6], b.visited); diff != "" {
		t.Errorf("visited (-want +got):\n%s", diff)
	}
	if job.FinishedAt == nil || job.ExpireAt == nil || job.Lease != nil || job.WakeAt != nil {
		t.Errorf("a canceled job: %+v", job)
	}
	if err := b.run("j", b.plenty()); err != nil || len(b.visited) != 6 {
		t.Errorf("an event of a canceled job: %v, %d visits", err, len(b.visited))
	}
	if _, err := b.Cancel(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
		t.Errorf("cancel again: %v, want ErrFinished", err)
	}
}

func TestRetryGoesOnWhereTheJobStopped(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	if _, err := b.Retry(t.Context(), "j"); !errors.Is(err, chunker.ErrNotStopped) {
		t.Errorf("retry of a queued job: %v, want ErrNotStopped", err)
	}
	b.fail = func(item string) error {
		if item == "i4" {
			return chunker.Permanent(errors.New("bad document"))
		}
		return nil
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatal(err)
	}
	b.wantState("j", chunker.Failed)
	b.fail = func(string) error { return nil }
	job, err := b.Retry(t.Context(), "j")
	if err != nil || job.State != chunker.Queued || job.Hop != 2 || job.Attempt != 0 || job.Error != nil || job.LastDoc.ID != "i2" {
		t.Fatalf("retry: %v, %+v", err, job)
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatal(err)
	}
	if job := b.wantState("j", chunker.Done); job.Done != items {
		t.Errorf("%d done, want %d", job.Done, items)
	}
	if _, err := b.Retry(t.Context(), "j"); !errors.Is(err, chunker.ErrFinished) {
		t.Errorf("retry of a job that is done: %v, want ErrFinished", err)
	}
}

func TestJobsThatAreNotThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for name, call := range map[string]func() error{
		"get":    func() error { _, err := b.Get(t.Context(), "none"); return err },
		"cancel": func() error { _, err := b.Cancel(t.Context(), "none"); return err },
		"retry":  func() error { _, err := b.Retry(t.Context(), "none"); return err },
		"wait":   func() error { _, err := b.Wait(t.Context(), "none", nil); return err },
		"an id":  func() error { _, err := b.Get(t.Context(), "a/b"); return err },
	} {
		if err := call(); !errors.Is(err, chunker.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
}

func TestListByStateAndByAge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, id := range []string{"a", "b", "c"} {
		b.enqueue(chunker.Spec{ID: id, Kind: "visit"})
		b.clock.move(time.Second)
	}
	if err := b.run("a", b.plenty()); err != nil {
		t.Fatal(err)
	}
	names := func(limit int, states ...chunker.State) (out []string) {
		jobs, err := b.List(t.Context(), limit, states...)
		if err != nil {
			t.Fatal(err)
		}
		for _, j := range jobs {
			out = append(out, j.ID)
		}
		return out
	}
	for name, c := range map[string]struct{ got, want []string }{
		"queued":          {names(10, chunker.Queued), []string{"b", "c"}},
		"done":            {names(10, chunker.Done), []string{"a"}},
		"failed":          {names(10, chunker.Failed), nil},
		"newest first":    {names(10), []string{"a", "c", "b"}},
		"not more than 1": {names(1), []string{"a"}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWaitTellsProgress(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	queued, seen := make(chan struct{}), []int64{}
	type result struct {
		job chunker.Job
		err error
	}
	end := make(chan result, 1)
	go func() {
		job, err := b.Wait(ctx, "j", func(j chunker.Job) {
			if len(seen) == 0 {
				close(queued)
			}
			seen = append(seen, j.Done)
		})
		end <- result{job, err}
	}()
	<-queued
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatal(err)
	}
	got := <-end
	if got.err != nil || got.job.State != chunker.Done || seen[len(seen)-1] != items {
		t.Errorf("wait: %v, job is %s, progress %v", got.err, got.job.State, seen)
	}
	ctx, cancel = context.WithCancel(t.Context())
	b.enqueue(chunker.Spec{ID: "never", Kind: "visit"})
	_, err := b.Wait(ctx, "never", func(chunker.Job) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("wait under a context that ends: %v", err)
	}
}

// A server may reset the stream of a listener at any time.
func TestWaitOutlivesItsStream(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.enqueue(chunker.Spec{ID: "j", Kind: "visit"})
	var listens atomic.Int64
	client, err := connect(t.Context(), b.project, wire.Interceptor{
		Stream: func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			s, err := open(ctx, desc, cc, method, opts...)
			if err == nil && strings.HasSuffix(method, "/Listen") && listens.Add(1) == 1 {
				return resetStream{s}, nil
			}
			return s, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	end := make(chan error, 1)
	seen := make(chan struct{}, 100)
	go func() {
		job, err := b.engineOn(client).Wait(ctx, "j", func(chunker.Job) { seen <- struct{}{} })
		if err == nil && job.State != chunker.Done {
			err = fmt.Errorf("job is %s", job.State)
		}
		end <- err
	}()
	select {
	case <-seen:
	case err := <-end:
		t.Fatal(err)
	}
	if err := b.run("j", b.plenty()); err != nil {
		t.Fatal(err)
	}
	if err := <-end; err != nil || listens.Load() != 2 {
		t.Errorf("wait: %v, after %d streams; want 2", err, listens.Load())
	}
}

// resetStream is one that the server resets before its first answer.
type resetStream struct{ grpc.ClientStream }

func (resetStream) RecvMsg(any) error {
	return status.Error(codes.Canceled, "stream terminated by RST_STREAM with error code: CANCEL")
}
