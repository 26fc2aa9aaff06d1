package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/emulator/faults"
	"example.com/relationindex/testkit/clients"
	"example.com/relationindex/testkit/stories"
)

// These are the sizes of a workload.
const (
	seeds      = 2
	operations = 40
)

// workload promises that any sequence of operations, with events in any order, ends as the oracle
// computes. A seed always makes the same sequence.
func workload(p *pool, seed uint64) Promise {
	return Promise{fmt.Sprintf("any workload, seed %d", seed), func(t *testing.T) error {
		w, err := p.get(t.Context(), t)
		if err != nil {
			return err
		}
		defer p.put(w)
		m := &mess{world: w, rng: rand.New(rand.NewPCG(seed, 1))} //nolint:gosec // has to repeat
		m.ops = clients.Workload{
			Seed: seed, Ops: operations, Users: 8, Posts: 3, Epoch: stories.Day.Add(22 * 24 * time.Hour),
			Blocks: true, Decides: w.suite.Decides, Comments: w.suite.Ranks,
		}.Restricted()
		if err := m.play(t.Context()); err != nil {
			return fmt.Errorf("%w\nafter these operations: %v", err, m.ops[:m.done])
		}
		return nil
	}}
}

// mess is a world with random operations.
type mess struct {
	*world
	rng     *rand.Rand
	ops     []op
	done    int
	pending []event
}

func (m *mess) play(ctx context.Context) error {
	for m.done < len(m.ops) {
		var err error
		switch n := m.rng.IntN(20); {
		case n < 9:
			err = m.write(ctx)
		case n < 12:
			err = m.deliverSome(ctx, 1)
		case n < 15:
			err = m.deliverSome(ctx, 3)
		case n < 17:
			err = m.dieDelivering(ctx)
		default:
			err = m.runJobs(ctx)
		}
		if err != nil {
			return err
		}
	}
	m.shuffle()
	// The functions' deletions with an account have events, which mix with the others.
	return m.end(ctx, append(m.pending, m.took()...)...)
}

// write does the next operation. Its event is delivered later.
func (m *mess) write(ctx context.Context) error {
	events, err := m.apply(ctx, m.ops[m.done])
	m.done++
	m.pending = append(m.pending, events...)
	return err
}

func (m *mess) shuffle() {
	m.rng.Shuffle(len(m.pending), func(i, j int) { m.pending[i], m.pending[j] = m.pending[j], m.pending[i] })
}

// take removes and returns up to n waiting events, in any order. Once in four calls, one of these
// events comes again later.
func (m *mess) take(n int) []event {
	m.shuffle()
	n = min(n, len(m.pending))
	taken := slices.Clone(m.pending[:n])
	m.pending = slices.Clone(m.pending[n:])
	if n > 0 && m.rng.IntN(4) == 0 {
		m.pending = append(m.pending, taken[0])
	}
	return taken
}

// deliverSome delivers up to n events at once.
func (m *mess) deliverSome(ctx context.Context, n int) error {
	p, err := m.process(ctx)
	if err != nil {
		return err
	}
	var all errgroup.Group
	for _, e := range m.take(n) {
		all.Go(func() error { return p.handled(ctx, e) })
	}
	return all.Wait()
}

// dieDelivering delivers an event to a process that soon dies.
func (m *mess) dieDelivering(ctx context.Context) error {
	death := faults.NewDeath(1 + m.rng.IntN(4))
	p, err := m.process(ctx, death.Interceptor())
	if err != nil {
		return err
	}
	for _, e := range m.take(1) {
		left, err := p.deliver(ctx, e)
		if len(left) > 0 && !death.Died() {
			return err
		}
		if death.Died() {
			m.pending = append(m.pending, e)
		}
	}
	_, err = p.step(ctx, onePage)
	if death.Died() {
		return nil
	}
	return err
}

// runJobs runs one step of each job, in two processes at once.
func (m *mess) runJobs(ctx context.Context) error {
	var both errgroup.Group
	for range 2 {
		p, err := m.process(ctx)
		if err != nil {
			return errors.Join(err, both.Wait())
		}
		both.Go(func() error {
			_, err := p.step(ctx, onePage)
			return err
		})
	}
	return both.Wait()
}
