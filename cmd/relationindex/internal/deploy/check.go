package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Check is a condition that must hold before a plan changes anything.
type Check struct {
	// Name is the name by which the Needs of other checks refer to this check.
	Name string
	// Want is the condition that must hold.
	Want string
	// Ask is the command whose output answers the check. Without Args, this program answers the check itself.
	Ask Command
	// Fix says what to do when the condition does not hold.
	Fix string
	// Needs names the checks that must hold before this check runs.
	Needs []string

	// holds returns an error if the condition does not hold. answer is the output of Ask, without the
	// line's end. If holds is nil, the condition holds if Ask succeeds.
	holds func(ctx context.Context, m *Machine, answer string) error
}

// problem is an error with its own fix, which replaces the check's Fix.
type problem struct {
	error
	fix string
}

// Failure is a check that does not hold.
type Failure struct {
	// Want is the condition that must hold, Problem describes the failure, and Fix says what to do.
	Want, Problem, Fix string
}

// Failures lists the failed checks of a plan. The plan has changed nothing.
type Failures []Failure

func (f Failures) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "nothing was changed; %d preconditions do not hold:", len(f))
	for _, one := range f {
		fmt.Fprintf(&out, "\n\n  %s\n    %s\n    fix: %s", one.Want, strings.ReplaceAll(one.Problem, "\n", "\n    "), one.Fix)
	}
	return out.String()
}

// unasked is the failure of a check that did not run, because a check in its Needs failed.
var unasked = &Failure{}

// CheckLocal runs the checks that run no command and need no other check: the checks of options and files. It
// returns the failed checks as [Failures].
func (p *Plan) CheckLocal(ctx context.Context) error {
	others := func(c Check) bool { return c.Ask.Args != nil || len(c.Needs) > 0 }
	failures, err := (&run{plan: p}).check(ctx, slices.DeleteFunc(slices.Clone(p.Checks), others))
	if err == nil && len(failures) > 0 {
		return failures
	}
	return err
}

// check runs each check if the checks in its Needs hold, and returns the failed checks. In checks, each check follows
// the checks in its Needs.
func (r *run) check(ctx context.Context, checks []Check) (Failures, error) {
	answers := map[string]func() *Failure{}
	for _, c := range checks {
		answers[c.Name] = sync.OnceValue(func() *Failure {
			if slices.ContainsFunc(c.Needs, func(name string) bool { return answers[name]() != nil }) {
				return unasked
			}
			return r.ask(ctx, c)
		})
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, c := range checks {
		group.Go(func() error {
			answers[c.Name]()
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var out Failures
	var left []string
	for _, c := range checks {
		switch failure := answers[c.Name](); failure {
		case nil:
		case unasked:
			left = append(left, c.Name)
		default:
			out = append(out, *failure)
		}
	}
	if len(left) > 0 {
		out = append(out, Failure{"everything could be asked", "not asked yet: " + strings.Join(left, ", "), "fix the other problems, and run the command again"})
	}
	return out, nil
}

// ask runs a check, and returns nil if the check holds.
func (r *run) ask(ctx context.Context, c Check) *Failure {
	answer, err := "", error(nil)
	if c.Ask.Args != nil {
		answer, err = r.output(ctx, c.Ask.Args)
	}
	if err == nil && c.holds != nil {
		err = c.holds(ctx, r.machine, answer)
	}
	if err == nil {
		return nil
	}
	failure := &Failure{c.Want, err.Error(), c.Fix}
	if p, ok := errors.AsType[problem](err); ok {
		failure.Fix = p.fix
	}
	return failure
}
