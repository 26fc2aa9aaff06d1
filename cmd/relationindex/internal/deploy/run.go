package deploy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// run is a plan that is being carried out.
type run struct {
	plan    *Plan
	machine *Machine
	values  map[string]string // of variables
	found   []found           // by index of the step
}

// found is the result of a step's Look.
type found int

const (
	unknown found = iota // no Look has run, or a resource of Of is missing
	absent
	foreign // somebody else's
	stale   // ours, of another version
	current // as the step would make it
)

// Deploy carries out a plan. It runs every check, finds the steps that are already done, and does the missing
// steps in order. If a check fails, or a resource with our name is not ours, Deploy returns [Failures], and changes
// nothing.
//
// You may call Deploy again, also after an interruption or a failure. It skips the steps that are done.
func (m *Machine) Deploy(ctx context.Context, p *Plan) error {
	r, err := m.begin(ctx, p)
	if err != nil {
		return err
	}
	if failures := r.foreigners(); len(failures) > 0 {
		return failures
	}
	return r.steps(ctx, r.make)
}

// Undeploy removes the resources that a plan of [Removal] names, in order, and nothing else. You may call
// Undeploy again, like Deploy.
func (m *Machine) Undeploy(ctx context.Context, p *Plan) error {
	r, err := m.begin(ctx, p)
	if err != nil {
		return err
	}
	return r.steps(ctx, r.remove)
}

// begin runs the checks, and the Look of each step. It changes nothing in the project.
func (m *Machine) begin(ctx context.Context, p *Plan) (*run, error) {
	if err := p.WriteFiles(m.Work); err != nil {
		return nil, err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	r := &run{plan: p, machine: m, found: make([]found, len(p.Steps)), values: map[string]string{varWork: m.Work, varSource: m.SourceDigest, varNow: now}}
	failures, err := r.check(ctx, p.Checks)
	switch {
	case err != nil:
		return nil, fmt.Errorf("nothing was changed: %w", err)
	case len(failures) > 0:
		return nil, failures
	}
	if err := r.lookAll(ctx); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", err)
	}
	return r, nil
}

// steps runs the steps in order, and reports each.
func (r *run) steps(ctx context.Context, take func(context.Context, int) (Outcome, error)) error {
	for i, s := range r.plan.Steps {
		told := Told{Step: s, Number: i + 1, All: len(r.plan.Steps)}
		r.machine.Told(told)
		var err error
		if told.Outcome, err = take(ctx, i); err != nil {
			return fmt.Errorf("step %d of %d, %s: %w", told.Number, told.All, s.Title, err)
		}
		r.machine.Told(told)
	}
	return nil
}

// make runs a step of a deployment.
func (r *run) make(ctx context.Context, i int) (Outcome, error) {
	s := r.plan.Steps[i]
	if s.Look.Args == nil {
		return Done, r.all(ctx, s.Create)
	}
	if r.found[i] == unknown { // an earlier step may have made the resources of Of since
		var err error
		if r.found[i], err = r.look(ctx, s); err != nil {
			return "", err
		}
	}
	outcome, commands := Created, s.Create
	switch r.found[i] {
	case current:
		return Unchanged, nil
	case foreign:
		return "", fmt.Errorf("the resource already exists, and was not deployed as %q: remove it, or deploy with another --name", r.plan.options.mark())
	case stale:
		outcome = Updated
		if s.Update != nil {
			commands = s.Update
		}
		if s.Gone {
			outcome = Removed
		}
	default:
		if s.Gone {
			return Unchanged, nil
		}
	}
	r.found[i] = current
	return outcome, r.all(ctx, commands)
}

// remove runs a step of a removal.
func (r *run) remove(ctx context.Context, i int) (Outcome, error) {
	s := r.plan.Steps[i]
	switch {
	case r.found[i] == foreign:
		return Foreign, nil
	case r.found[i] == absent, r.found[i] == unknown:
		return Absent, nil
	case s.Undo == nil:
		return Kept, nil
	}
	return Removed, r.all(ctx, s.Undo)
}

// atOnce is the number of checks, or of Looks, that run at once. They change nothing. Each command
// lasts a second or two, mostly for its start.
const atOnce = 4

// lookAll runs every Look: first for the steps without Of, then for the steps with Of.
func (r *run) lookAll(ctx context.Context) error {
	for _, parts := range []bool{false, true} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for i, s := range r.plan.Steps {
			if s.Look.Args != nil && (len(s.Of) > 0) == parts {
				group.Go(func() (err error) {
					r.found[i], err = r.look(ctx, s)
					return err
				})
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// look returns the state of a step's resource.
func (r *run) look(ctx context.Context, s Step) (found, error) {
	for _, title := range s.Of {
		whole := slices.IndexFunc(r.plan.Steps, func(s Step) bool { return s.Title == title })
		switch r.found[whole] {
		case unknown, absent:
			return unknown, nil
		case foreign:
			return foreign, nil
		default: // the earlier step's resource is ours
		}
	}
	line, err := r.output(ctx, s.Look.Args)
	switch {
	case err != nil:
		return unknown, err
	case line == "":
		return absent, nil
	case s.Want != "" && line == Expand([]string{s.Want}, r.values)[0]:
		return current, nil
	case strings.HasPrefix(line, s.Ours):
		return stale, nil
	}
	return foreign, nil
}

// foreigners returns a failure for each resource that has one of our names and is not ours.
func (r *run) foreigners() (all Failures) {
	mark := r.plan.options.mark()
	for i, s := range r.plan.Steps {
		if r.found[i] == foreign && len(s.Of) == 0 {
			all = append(all, Failure{s.Title + " is ours", fmt.Sprintf("the resource already exists, and was not deployed as %q", mark), "deploy with another --name, or remove it"})
		}
	}
	return all
}

// all runs commands one after another.
func (r *run) all(ctx context.Context, commands []Command) error {
	for _, c := range commands {
		words := []string{""}
		if c.Each != nil {
			out, err := r.output(ctx, c.Each)
			if err != nil {
				return err
			}
			words = strings.Fields(out)
		}
		for _, word := range words {
			if err := r.patiently(ctx, Expand(c.Args, map[string]string{varLine: word})); err != nil {
				return err
			}
		}
	}
	return nil
}

// output runs a command, and returns its output without the last line break.
func (r *run) output(ctx context.Context, args []string) (string, error) {
	out, err := r.machine.Run(ctx, Expand(args, r.values))
	if err != nil {
		return "", fmt.Errorf("%s: %w", quoted(args), err)
	}
	return strings.TrimRight(out, "\r\n"), nil
}

// waitable lists parts of the errors that Google returns while a new account, role, API or
// metric does not work everywhere yet. The delay is up to ten minutes ("Access change propagation"
// of IAM, "Known issues" of Eventarc, the message itself of Monitoring).
var waitable = []string{
	"does not exist.",
	"does not exist in the resource's hierarchy",              // a new role
	"ermission denied while using the Eventarc Service Agent", // begins with P or p
	`Permission "eventarc.events.receiveEvent" denied`,
	"Permission denied on secret", // from the service of a new function
	"has not been used in project",
	"If a metric was created recently",
}

// A command with a waitable error is retried every 30 seconds for ten minutes.
const (
	tries = 21
	pause = 30 * time.Second
)

// patiently runs a command, and retries it while its error is waitable.
func (r *run) patiently(ctx context.Context, args []string) error {
	for try := 1; ; try++ {
		_, err := r.output(ctx, args)
		if err == nil || try == tries || !slices.ContainsFunc(waitable, func(text string) bool { return strings.Contains(err.Error(), text) }) {
			return err
		}
		if err := r.machine.Wait(ctx, pause); err != nil {
			return err
		}
	}
}
