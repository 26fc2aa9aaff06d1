package instances

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// ErrNoRoom means that a request waited for Options.Pending and no instance had room.
var ErrNoRoom = errors.New("no available instance")

// Service models the instances of one function. It is safe for concurrent use.
type Service struct {
	options     Options // with defaults, scaled
	concurrency int
	most        int

	mu        sync.Mutex
	instances []*instance // at most most; in the order of their numbers
	waiting   []chan *instance
	stats     Stats
}

// Stats counts what a service did since it began.
type Stats struct {
	ColdStarts int64 // instances that were started
	Rejected   int64 // requests that found no room in time

	Instances int // instances now, starting ones included
	InFlight  int // requests at instances now
	Waiting   int // requests that wait for room now
}

type instance struct {
	number   int // from 0, the lowest that was free
	ready    bool
	inFlight int
	used     time.Time // when it became ready, or its last request ended
}

// NewService returns a service without instances. concurrency limits the requests at one
// instance, and most the number of instances; less than 1 counts as 1.
func NewService(o Options, concurrency, most int) *Service {
	return &Service{options: o.withDefaults(), concurrency: max(1, concurrency), most: max(1, most)}
}

// Acquire takes room for one request, and waits for room if there is none. It returns the
// number of the instance, from 0, and a function to call when the request has ended. The
// error is ErrNoRoom, or the cause of the end of ctx.
func (s *Service) Acquire(ctx context.Context) (number int, release func(), err error) {
	room := make(chan *instance, 1)
	s.mu.Lock()
	s.removeIdle(time.Now())
	s.waiting = append(s.waiting, room)
	s.serve()
	s.mu.Unlock()

	timeout := time.NewTimer(s.options.Pending)
	defer timeout.Stop()
	select {
	case i := <-room:
		return i.number, sync.OnceFunc(func() { s.release(i) }), nil
	case <-timeout.C:
		err = ErrNoRoom
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.waiting, room)
	if at < 0 { // it got room just now
		i := <-room
		return i.number, sync.OnceFunc(func() { s.release(i) }), nil
	}
	s.waiting = slices.Delete(s.waiting, at, at+1)
	if errors.Is(err, ErrNoRoom) {
		s.stats.Rejected++
	}
	return 0, nil, err
}

// serve gives room to waiting requests in their order, at the instance with the fewest in
// flight, and starts instances for the others. The caller holds mu.
func (s *Service) serve() {
	for i := s.emptiest(); i != nil && len(s.waiting) > 0; i = s.emptiest() {
		i.inFlight++
		s.waiting[0] <- i
		s.waiting = s.waiting[1:]
	}
	starting := 0 // room in instances that start
	for _, i := range s.instances {
		if !i.ready {
			starting += s.concurrency
		}
	}
	for len(s.instances) < s.most && (starting < len(s.waiting) || len(s.instances) < s.options.Minimum) {
		s.start()
		starting += s.concurrency
	}
}

// emptiest returns the instance with the most room; nil: there is no room. The caller
// holds mu.
func (s *Service) emptiest() (best *instance) {
	for _, i := range s.instances {
		if i.ready && i.inFlight < s.concurrency && (best == nil || i.inFlight < best.inFlight) {
			best = i
		}
	}
	return best
}

// start starts an instance with the lowest free number. The caller holds mu.
func (s *Service) start() {
	number := 0
	for number < len(s.instances) && s.instances[number].number == number {
		number++
	}
	i := &instance{number: number}
	s.instances = slices.Insert(s.instances, number, i)
	s.stats.ColdStarts++
	time.AfterFunc(s.options.ColdStart, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Contains(s.instances, i) {
			return // Stop removed it meanwhile
		}
		i.ready, i.used = true, time.Now()
		s.serve()
	})
}

func (s *Service) release(i *instance) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i.inFlight--
	i.used = time.Now()
	s.serve()
}

// removeIdle removes instances without a request for Options.Idle, except Options.Minimum.
// The caller holds mu.
func (s *Service) removeIdle(now time.Time) {
	most := len(s.instances) - s.options.Minimum
	s.instances = slices.DeleteFunc(s.instances, func(i *instance) bool {
		idle := s.options.Idle > 0 && i.ready && i.inFlight == 0 && now.Sub(i.used) >= s.options.Idle
		if !idle || most <= 0 {
			return false
		}
		most--
		return true
	})
}

// Stop removes the instances whose number matches, also while they start; nil: all. Requests
// at a removed instance go on; the caller must end them. Stop starts instances for waiting
// requests and for Options.Minimum.
func (s *Service) Stop(matches func(number int) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instances = slices.DeleteFunc(s.instances, func(i *instance) bool { return matches == nil || matches(i.number) })
	s.serve()
}

// Stats returns a consistent snapshot of the counts.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeIdle(time.Now())
	stats := s.stats
	stats.Instances, stats.Waiting = len(s.instances), len(s.waiting)
	for _, i := range s.instances {
		stats.InFlight += i.inFlight
	}
	return stats
}
