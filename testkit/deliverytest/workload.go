package deliverytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.com/relationindex/emulator/faults"
)

// These are the sizes of a workload.
const (
	seeds      = 2
	operations = 40
	authors    = 3
	groups     = 2
	people     = 5
	mostPosts  = 8 // of all authors together
	recipients = 2 // readers that posts name
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
		m := &mess{world: w, rng: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // has to repeat
		if err := m.play(t.Context()); err != nil {
			return fmt.Errorf("%w\nafter these operations: %v", err, m.done)
		}
		return nil
	}}
}

// mess is a world with random operations.
type mess struct {
	*world
	rng     *rand.Rand
	at      int
	pending []event
	done    []op
}

func (m *mess) play(ctx context.Context) error {
	for len(m.done) < operations {
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
	o := m.next()
	m.done = append(m.done, o)
	events, err := m.apply(ctx, o)
	m.pending = append(m.pending, events...)
	return err
}

// next returns an operation that clients may do now. A deleted account does nothing more.
func (m *mess) next() op {
	for {
		m.at++
		a, r, p := 1+m.rng.IntN(authors), 1+m.rng.IntN(people), 1+m.rng.IntN(mostPosts)
		if m.model.gone[author(a)] || m.model.gone[reader(r)] {
			continue
		}
		g := 1 + m.rng.IntN(groups)
		if m.suite.Decides && m.rng.IntN(4) == 0 {
			return m.decide(a, r, p)
		}
		if m.rng.IntN(8) == 0 {
			return m.block(a, r)
		}
		switch n := m.rng.IntN(24); {
		case n < 6 && m.model.follows[follow{author(a), reader(r)}]:
			return doUnfollow(r, a)
		case n < 6 && m.model.apart(author(a), reader(r)):
			continue
		case n < 6:
			return doFollow(r, a)
		case n < 10 && m.model.gone[group(g)]:
			continue
		case n < 10 && m.model.follows[follow{group(g), reader(r)}]:
			return doQuit(r, g)
		case n < 10:
			return doJoin(r, g)
		case n < 19:
			return m.post(p, a, g)
		case n < 23 && m.model.posts[post(p)].author != "":
			return doDelete(p)
		case n == 23 && len(m.done) > operations/2 && m.rng.IntN(3) == 0:
			if gone := m.leaver(a, r, g); gone != "" {
				return doLeave(gone)
			}
		}
	}
}

// post writes a new post, or edits one. The author or audience may change.
func (m *mess) post(p, a, g int) op {
	o := doPost(p, a, m.at)
	switch n := m.rng.IntN(10); {
	case n < 4 && !m.model.gone[group(g)]:
		o.content.audience = group(g)
	case n < 5:
		o.content.audience = nobody
	case n < 6:
		return doOldPost(p, a, m.at)
	}
	if r := 1 + m.rng.IntN(2*people); r <= recipients {
		o.content.to = []string{reader(r)}
	}
	o.content.hidden = m.rng.IntN(6) == 0
	if m.suite.Decides && m.rng.IntN(3) == 0 {
		return photo(o)
	}
	return o
}

// block begins or ends a block of an author by a reader, whom posts may name, or the reverse.
func (m *mess) block(a, r int) op {
	by, of := reader(1+r%recipients), author(a)
	if m.rng.IntN(4) == 0 {
		by, of = of, reader(r)
	}
	if m.model.blocked[block{by, of}] {
		return doUnblock(by, of)
	}
	return doBlock(by, of)
}

// decide returns a decision of a reader, or a comment.
func (m *mess) decide(a, r, p int) op {
	switch n := m.rng.IntN(8); {
	case n < 2:
		return doHide(r, p)
	case n < 3:
		return doShow(r, p)
	case n < 4 && m.suite.Ranks && m.model.posts[post(p)].author != "":
		return doComment(a, p)
	}
	o := doDecide(r)
	for _, pattern := range []string{"*/photo", author(a) + "/*"} {
		switch m.rng.IntN(4) {
		case 0:
			o.decided.hide = append(o.decided.hide, pattern)
		case 1:
			o.decided.show = append(o.decided.show, pattern)
		}
	}
	o.decided.idle = m.rng.IntN(4) == 0
	return o
}

// leaver returns the account or group to delete; "": none, so that enough are left.
func (m *mess) leaver(a, r, g int) string {
	switch m.rng.IntN(3) {
	case 0:
		if a > 1 {
			return author(a)
		}
	case 1:
		if g > 1 && !m.model.gone[group(g)] {
			return group(g)
		}
	default:
		if r > recipients {
			return reader(r)
		}
	}
	return ""
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
