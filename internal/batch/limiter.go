package batch

import (
	"context"

	"golang.org/x/sync/semaphore"
)

// Limiter is a memory budget that concurrent work shares. It also limits how much work
// runs at once, because each piece of work takes a [Share], and a share has a least size.
//
// Work that has a share must not take another share, and must not wait for work that takes a share. Otherwise
// the work could wait for itself. [Share.Resize] is safe.
//
// A Limiter is safe for concurrent use. It serves calls in their order, so small shares do not overtake large
// ones for ever.
type Limiter struct {
	free          *semaphore.Weighted
	budget, least int64 // bytes
}

// NewLimiter returns a limiter of budget bytes for at most parallel shares at a time.
// parallel must be at least 1, and much smaller than budget.
func NewLimiter(budget, parallel int) *Limiter {
	return &Limiter{semaphore.NewWeighted(int64(budget)), int64(budget), int64(budget / parallel)}
}

// Take waits for a share of bytes. The share has at least budget / parallel bytes, and at
// most the budget. The caller must release it. If ctx ends first, Take returns the cause.
func (l *Limiter) Take(ctx context.Context, bytes int) (*Share, error) {
	s := &Share{of: l}
	if err := s.Resize(ctx, bytes); err != nil {
		return nil, err
	}
	return s, nil
}

// size returns the size of a share for bytes.
func (l *Limiter) size(bytes int) int64 { return min(max(int64(bytes), l.least), l.budget) }

// Share is a part of a limiter's budget: the bytes that its owner may hold. Only one
// goroutine may use it.
type Share struct {
	of    *Limiter
	bytes int64
}

// Bytes returns the size of the share.
func (s *Share) Bytes() int { return int(s.bytes) }

// Shrink releases all but bytes of the share, or all but the least share. You may call it
// again. It never makes a share larger.
func (s *Share) Shrink(bytes int) { s.keep(min(s.bytes, s.of.size(bytes))) }

// Resize makes the share as large as a new one of bytes. To grow, it releases the share
// and waits for a new one. So the owner must hold nothing when calling it. If ctx ends
// first, it returns the cause, and the share is released.
func (s *Share) Resize(ctx context.Context, bytes int) error {
	size := s.of.size(bytes)
	if size <= s.bytes {
		s.keep(size)
		return nil
	}
	s.Release()
	if s.of.free.Acquire(ctx, size) != nil {
		return context.Cause(ctx)
	}
	s.bytes = size
	return nil
}

// Release releases the share. You may call it again.
func (s *Share) Release() { s.keep(0) }

func (s *Share) keep(bytes int64) {
	s.of.free.Release(s.bytes - bytes)
	s.bytes = bytes
}
