package deliverytest

import (
	"errors"
	"fmt"
	"sync"
)

// pointsAtOnce is the number of points tried at once.
const pointsAtOnce = 2

// eachPoint calls try with 1, 2, … until it returns false: there is no such point. It returns the
// errors of try, and an error if there is no point at all. It logs the number of points. With
// [Suite.Kin], it tries the points 2, 9, 16, …, and it is no error if none of these exists.
func (l *teller) eachPoint(what string, try func(at int) (there bool, err error)) error {
	first, apart := 1, 1
	if l.suite.Kin {
		first, apart = 2, 7
	}
	var mu sync.Mutex
	var errs []error
	next, points, ended := first, 0, false
	var all sync.WaitGroup
	for range pointsAtOnce {
		all.Go(func() {
			for {
				mu.Lock()
				at, stop := next, ended
				next += apart
				mu.Unlock()
				if stop {
					return
				}
				there, err := try(at)
				mu.Lock()
				if there {
					points++
				}
				ended = ended || err != nil || !there
				if err != nil {
					errs = append(errs, fmt.Errorf("%s %d: %w", what, at, err))
				} else if !there && at == 1 {
					errs = append(errs, fmt.Errorf("there is no %s", what))
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	l.t.Logf("points: %d of each %s", points, what)
	return errors.Join(errs...)
}
