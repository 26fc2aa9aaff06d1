package chunker

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"
)

func TestBudget(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	now := start
	clock := func() time.Time { return now }
	b := NewBudget(t.Context(), start, time.Minute, 10*time.Second, clock)
	now = start.Add(20 * time.Second)
	if b.Left() != 30*time.Second || !b.Covers(14*time.Second) || b.Covers(15*time.Second) {
		t.Errorf("left is %v after 20 s of a minute less 10 s", b.Left())
	}
	now = start.Add(time.Minute)
	if b.Left() != -10*time.Second || b.Covers(0) {
		t.Errorf("left is %v after a minute", b.Left())
	}
	ctx, cancel := context.WithDeadline(t.Context(), start.Add(20*time.Second))
	defer cancel()
	now = start
	if b := NewBudget(ctx, start, time.Minute, 10*time.Second, clock); b.Left() != 10*time.Second {
		t.Errorf("left is %v with an earlier deadline of the context", b.Left())
	}
	if (Budget{}).Covers(0) {
		t.Error("the zero budget is not spent")
	}
}

func TestBackoffGrowsWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attempt := rapid.IntRange(1, 1000).Draw(t, "attempt")
		least := backoff(attempt, func(time.Duration) time.Duration { return 0 })
		most := backoff(attempt, func(ceiling time.Duration) time.Duration { return ceiling })
		if least < firstRetry/2 || most > lastRetry || least > most {
			t.Fatalf("attempt %d waits %v to %v", attempt, least, most)
		}
		if next := backoff(attempt+1, func(time.Duration) time.Duration { return 0 }); next < least {
			t.Fatalf("attempt %d waits at least %v, the one after it %v", attempt, least, next)
		}
	})
}

func TestIsPermanent(t *testing.T) {
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{errors.New("x"), false},
		{Permanent(errors.New("x")), true},
		{fmt.Errorf("wrapped: %w", Permanent(errors.New("x"))), true},
		{status.Error(codes.Unavailable, ""), false},
		{status.Error(codes.Aborted, ""), false},
		{status.Error(codes.PermissionDenied, ""), false},
		{status.Error(codes.Unauthenticated, ""), false},
		{status.Error(codes.FailedPrecondition, ""), false},
		{status.Error(codes.Unimplemented, ""), true},
		{fmt.Errorf("wrapped: %w", status.Error(codes.InvalidArgument, "")), true},
	} {
		if got := IsPermanent(c.err); got != c.want {
			t.Errorf("IsPermanent(%v) = %v", c.err, got)
		}
	}
	if Permanent(nil) != nil {
		t.Error("Permanent(nil) is an error")
	}
}

func TestJobBacksOffAfterEachDeadStep(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for attempt, rest := range map[int]time.Duration{0: 0, 1: time.Second / 2, 4: 4 * time.Second, 12: 5 * time.Minute, 1000: 5 * time.Minute} {
		job := Job{State: Running, Attempt: attempt, Lease: &Lease{Until: now}}
		if leased(job, now.Add(rest)) || rest > 0 && !leased(job, now.Add(rest-1)) {
			t.Errorf("after %d deaths the job does not rest for %v", attempt, rest)
		}
	}
}

func TestRegisterRejectsMistakes(t *testing.T) {
	phase := Phase{Name: "x"}
	for name, tasks := range map[string][]Task{
		"twice":    {{Kind: "a", Phases: []Phase{phase}}, {Kind: "a", Phases: []Phase{phase}}},
		"no kind":  {{Phases: []Phase{phase}}},
		"no phase": {{Kind: "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			e := New(nil, Options{})
			for _, task := range tasks {
				e.Register(task)
			}
		})
	}
}
