package deploy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
)

// execution is a plan that is being carried out.
type execution struct {
	plan    *Plan
	machine *Machine

	mu     sync.Mutex
	values map[string]string // of variables
	found  map[string]found  // by the titles of steps
}

// found is what a step's look finds.
type found int

const (
	absent  found = iota
	foreign       // somebody else's
	stale         // ours, of another version
	current       // as it would be made
)

// Deploy carries a plan out: it asks every precondition, looks at what is there,
// and then does what is missing, in order. Preconditions that do not hold are the
// error, as [Failures], and nothing has been changed.
//
// It may be called again, also after it was interrupted or has failed: what is
// done is left alone.
func (m *Machine) Deploy(ctx context.Context, p *Plan) error {
	return m.carryOut(ctx, p, (*execution).make, (*execution).check, (*execution).fill, (*execution).lookAll)
}

// Undeploy removes what the plan's steps have made, in order, and nothing else.
// Removal plans are made by [Removal]. It may be called again, as Deploy.
func (m *Machine) Undeploy(ctx context.Context, p *Plan) error {
	return m.carryOut(ctx, p, (*execution).remove, (*execution).check)
}

// carryOut makes the checks, and then takes the steps one after another, and tells of them.
func (m *Machine) carryOut(
	ctx context.Context, p *Plan, take func(*execution, context.Context, Step) (Outcome, error), checks ...func(*execution, context.Context) (Failures, error),
) error {
	if err := p.WriteFiles(m.Work); err != nil {
		return err
	}
	e := &execution{plan: p, machine: m, found: map[string]found{}, values: map[string]string{tool.VarWork: m.Work, tool.VarSource: m.SourceDigest, tool.VarNow: time.Now().UTC().Format(time.RFC3339)}}
	for _, check := range checks {
		switch failures, err := check(e, ctx); {
		case err != nil:
			return fmt.Errorf("nothing was changed: %w", err)
		case len(failures) > 0:
			return failures
		}
	}
	for i, s := range p.Steps {
		t := Told{Step: s, Number: i + 1, All: len(p.Steps)}
		m.Told(t)
		var err error
		if t.Outcome, err = take(e, ctx, s); err != nil {
			return fmt.Errorf("step %d of %d, %s: %w", t.Number, t.All, s.Title, err)
		}
		m.Told(t)
	}
	return nil
}

// fill gives the variables of the plan their values, but for those that the machine
// has. It comes after the preconditions that the commands need.
func (e *execution) fill(ctx context.Context) (Failures, error) {
	for _, c := range e.plan.Variables {
		if _, known := e.values[c.Sets]; known {
			continue
		}
		if _, err := e.run(ctx, c); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// make takes a step of a deployment.
func (e *execution) make(ctx context.Context, s Step) (Outcome, error) {
	if s.Look == nil {
		return Done, e.all(ctx, s.Create)
	}
	found, err := e.look(ctx, s)
	if err != nil {
		return "", err
	}
	outcome, commands, then := Created, s.Create, current
	switch found {
	case absent:
		if s.Gone {
			return Unchanged, nil
		}
	case current:
		return Unchanged, nil
	case foreign:
		return "", fmt.Errorf("it is there, and was not deployed as %q", e.plan.Mark)
	case stale:
		outcome = Updated
		if len(s.Update) > 0 {
			commands = s.Update
		}
		if s.Gone {
			outcome, then = Removed, absent
		}
	}
	if err := e.all(ctx, commands); err != nil {
		return "", err
	}
	e.remember(s, then)
	return outcome, nil
}

// remove takes a step of an undeployment.
func (e *execution) remove(ctx context.Context, s Step) (Outcome, error) {
	if s.On != nil {
		if line, err := e.run(ctx, *s.On); err != nil || line == "" {
			return Absent, err
		}
	}
	found, err := e.look(ctx, s)
	if err != nil {
		return "", err
	}
	switch found {
	case absent:
		return Absent, nil
	case foreign:
		return Foreign, nil
	default:
		if err := e.all(ctx, s.Undo); err != nil {
			return "", err
		}
		e.remember(s, absent)
		return Removed, nil
	}
}

// look is what is there of a step, which is asked once and then known from what
// the steps did.
func (e *execution) look(ctx context.Context, s Step) (found, error) {
	e.mu.Lock()
	known, ok := e.found[s.Title]
	e.mu.Unlock()
	if ok || s.Look == nil {
		return known, nil
	}
	if i := slices.IndexFunc(e.plan.Steps, func(whole Step) bool { return whole.Title == s.Part }); s.Part != "" && i >= 0 {
		// Not remembered: the whole may be made in the meantime.
		if whole, err := e.look(ctx, e.plan.Steps[i]); err != nil || whole == absent || whole == foreign {
			return whole, err
		}
	}
	line, err := e.run(ctx, *s.Look)
	if err != nil {
		return absent, err
	}
	result := foreign
	switch {
	case line == "":
		result = absent
	case s.Want != "" && line == e.expand(s.Want):
		result = current
	case strings.HasPrefix(line, s.Ours):
		result = stale
	}
	e.remember(s, result)
	return result, nil
}

func (e *execution) remember(s Step, f found) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found[s.Title] = f
}

func (e *execution) expand(text string) string {
	return tool.Command{Args: []string{text}}.Expand(e.values)[0]
}

// all runs commands one after another.
func (e *execution) all(ctx context.Context, commands []tool.Command) error {
	for _, c := range commands {
		lines := []string{""}
		if c.Each != "" {
			lines = strings.Fields(e.values[c.Each])
		}
		for _, line := range lines {
			e.values[tool.VarLine] = line
			if err := e.patiently(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a command and sets its variable. The output is without the line's end.
func (e *execution) run(ctx context.Context, c tool.Command) (string, error) {
	e.mu.Lock()
	args := c.Expand(e.values)
	e.mu.Unlock()
	out, err := e.machine.Run(ctx, args)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c, err)
	}
	out = strings.TrimRight(out, "\r\n")
	if c.Sets != "" {
		e.mu.Lock()
		e.values[c.Sets] = out
		e.mu.Unlock()
	}
	return out, nil
}

// waitable are what Google says while a new account, role, API or metric is not
// known everywhere yet, which takes up to ten minutes ("Access change propagation"
// of IAM, "Known issues" of Eventarc, the message itself of Monitoring).
var waitable = []string{
	"does not exist.",
	"does not exist in the resource's hierarchy",              // a new role
	"ermission denied while using the Eventarc Service Agent", // it begins with either
	`Permission "eventarc.events.receiveEvent" denied`,
	"Permission denied on secret", // by the service of a new function
	"has not been used in project",
	"If a metric was created recently",
}

// A command that waits for that is tried every 30 seconds for ten minutes.
const (
	tries = 21
	pause = 30 * time.Second
)

// patiently runs a command again while it may only be too early.
func (e *execution) patiently(ctx context.Context, c tool.Command) error {
	for try := 1; ; try++ {
		_, err := e.run(ctx, c)
		if err == nil || try == tries || !slices.ContainsFunc(waitable, func(text string) bool { return strings.Contains(err.Error(), text) }) {
			return err
		}
		if err := e.machine.Wait(ctx, pause); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
