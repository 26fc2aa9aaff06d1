package deploy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Failure is a precondition that does not hold.
type Failure struct {
	// Asks is the precondition's question, Problem what is wrong, Fix what to run.
	Asks, Problem, Fix string
}

// Failures are all preconditions of a plan that do not hold. Nothing has been changed.
type Failures []Failure

func (f Failures) Error() string {
	var out strings.Builder
	fmt.Fprintf(&out, "nothing was changed; %d preconditions do not hold:", len(f))
	for _, one := range f {
		fmt.Fprintf(&out, "\n\n  %s\n    %s\n    fix: %s", one.Asks, strings.ReplaceAll(one.Problem, "\n", "\n    "), one.Fix)
	}
	return out.String()
}

// atOnce is how many commands run at once while nothing is changed: each takes a
// second or two, most of it its start.
const atOnce = 4

// check asks all preconditions of the plan that can be asked, each after those that
// it needs, and returns those that do not hold.
func (e *execution) check(ctx context.Context) (Failures, error) {
	failed := map[string]Failure{}
	held := map[string]bool{}
	left := slices.Clone(e.plan.Preconditions)
	for len(left) > 0 {
		var now []Precondition
		rest := slices.DeleteFunc(slices.Clone(left), func(c Precondition) bool {
			if len(c.Needs) == 0 || !slices.ContainsFunc(c.Needs, func(n string) bool { return !held[n] }) {
				now = append(now, c)
				return true
			}
			return false
		})
		if len(now) == 0 { // the others need one that does not hold
			break
		}
		answers := make([]*Failure, len(now))
		var group errgroup.Group
		group.SetLimit(atOnce)
		for i, c := range now {
			group.Go(func() error {
				answers[i] = e.ask(ctx, c)
				return nil
			})
		}
		_ = group.Wait() // none fails
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, c := range now {
			if answers[i] == nil {
				held[c.Name] = true
			} else {
				failed[c.Name] = *answers[i]
			}
		}
		left = rest
	}
	var out Failures
	var unasked []string
	for _, c := range e.plan.Preconditions {
		if f, ok := failed[c.Name]; ok {
			out = append(out, f)
		} else if !held[c.Name] {
			unasked = append(unasked, c.Name)
		}
	}
	if len(unasked) > 0 {
		out = append(out, Failure{"what could not be asked yet?", strings.Join(unasked, ", "), "mend the others, and run this again"})
	}
	return out, nil
}

// ask applies a precondition; nil if it holds.
func (e *execution) ask(ctx context.Context, c Precondition) *Failure {
	answer := ""
	if c.Command != nil {
		var err error
		if answer, err = e.run(ctx, *c.Command); err != nil {
			return &Failure{c.Asks, err.Error(), c.Fix}
		}
	}
	if c.check == nil {
		return nil
	}
	err := c.check(ctx, e.machine, answer)
	if p, ok := errors.AsType[problem](err); ok {
		return &Failure{c.Asks, p.Error(), p.fix}
	}
	if err != nil {
		return &Failure{c.Asks, err.Error(), c.Fix}
	}
	return nil
}

// lookAll looks at every step that can be looked at before anything is changed, and
// reports what has a name of ours and is not ours.
func (e *execution) lookAll(ctx context.Context) (Failures, error) {
	parts := map[bool][]int{}
	for i, s := range e.plan.Steps {
		parts[s.Part != ""] = append(parts[s.Part != ""], i)
	}
	for _, steps := range [][]int{parts[false], parts[true]} { // wholes before parts
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for _, i := range steps {
			group.Go(func() error {
				_, err := e.look(ctx, e.plan.Steps[i])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
	}
	var out Failures
	for _, s := range e.plan.Steps {
		if found, err := e.look(ctx, s); err == nil && found == foreign && s.Part == "" {
			out = append(out, Failure{
				"is " + s.Title + " ours?", fmt.Sprintf("it is there, and was not deployed as %q", e.plan.Mark),
				"deploy with another --name, or remove it",
			})
		}
	}
	return out, nil
}
