package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check is a condition that must hold before a plan changes anything.
type Check struct {
	// Name is the name by which the Needs of other checks refer to this check.
	Name string
	// Want is the condition that must hold.
	Want string
	// Ask is the command whose output answers the check. Without it, this program answers the check itself.
	Ask []string
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

// local returns the checks that run no command and need no other check: those of options and files.
func (p *Plan) local() []Check {
	return slices.DeleteFunc(slices.Clone(p.Checks), func(c Check) bool { return c.Ask != nil || len(c.Needs) > 0 })
}

// check runs the checks in order, except those whose Needs do not hold. If any fails, it returns [Failures].
func (m *Machine) check(ctx context.Context, checks []Check) error {
	var out Failures
	var left []string
	failed := map[string]bool{}
	for _, c := range checks {
		if slices.ContainsFunc(c.Needs, func(name string) bool { return failed[name] }) {
			failed[c.Name], left = true, append(left, c.Name)
		} else if failure := m.ask(ctx, c); failure != nil {
			failed[c.Name], out = true, append(out, *failure)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if len(left) > 0 {
		out = append(out, Failure{"everything could be asked", "not asked yet: " + strings.Join(left, ", "), "fix the other problems, and run the command again"})
	}
	if len(out) > 0 {
		return out
	}
	return nil
}

// ask runs a check, and returns nil if the check holds.
func (m *Machine) ask(ctx context.Context, c Check) *Failure {
	answer, err := "", error(nil)
	if c.Ask != nil {
		answer, err = m.Ask(ctx, c.Ask)
		answer = strings.TrimRight(answer, "\r\n")
	}
	if err == nil && c.holds != nil {
		err = c.holds(ctx, m, answer)
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
