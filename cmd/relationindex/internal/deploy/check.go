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

// unasked stands for the answer to what needs a precondition that does not hold.
var unasked = &Failure{}

// CheckLocal asks the preconditions that take no command and need no other: those of
// the options and the files. Those that do not hold are the error, as [Failures].
func (p *Plan) CheckLocal(ctx context.Context) error {
	local := &Plan{}
	for _, c := range p.Preconditions {
		if c.Command == nil && len(c.Needs) == 0 {
			local.Preconditions = append(local.Preconditions, c)
		}
	}
	failures, err := (&execution{plan: local}).check(ctx)
	if err == nil && len(failures) > 0 {
		err = failures
	}
	return err
}

// check asks all preconditions of the plan that can be asked, each after those that
// it needs, which are listed before it, and returns those that do not hold.
func (e *execution) check(ctx context.Context) (Failures, error) {
	answers := map[string]func() *Failure{}
	for _, c := range e.plan.Preconditions {
		answers[c.Name] = sync.OnceValue(func() *Failure {
			if slices.ContainsFunc(c.Needs, func(name string) bool { return answers[name]() != nil }) {
				return unasked
			}
			return e.ask(ctx, c)
		})
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, c := range e.plan.Preconditions {
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
	for _, c := range e.plan.Preconditions {
		switch failure := answers[c.Name](); failure {
		case nil:
		case unasked:
			left = append(left, c.Name)
		default:
			out = append(out, *failure)
		}
	}
	if len(left) > 0 {
		out = append(out, Failure{"what could not be asked yet?", strings.Join(left, ", "), "mend the others, and run this again"})
	}
	return out, nil
}

// ask applies a precondition; nil if it holds.
func (e *execution) ask(ctx context.Context, c Precondition) *Failure {
	answer, err := "", error(nil)
	if c.Command != nil {
		answer, err = e.run(ctx, *c.Command)
	}
	if err == nil && c.check != nil {
		err = c.check(ctx, e.machine, answer)
	}
	if err == nil {
		return nil
	}
	failure := &Failure{c.Asks, err.Error(), c.Fix}
	if p, ok := errors.AsType[problem](err); ok {
		failure.Fix = p.fix
	}
	return failure
}

// lookAll looks at every step that can be looked at before anything is changed, and
// reports what has a name of ours and is not ours.
func (e *execution) lookAll(ctx context.Context) (Failures, error) {
	for _, parts := range []bool{false, true} { // wholes before parts
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for _, s := range e.plan.Steps {
			if (s.Part != "") == parts {
				group.Go(func() error {
					_, err := e.look(ctx, s)
					return err
				})
			}
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
