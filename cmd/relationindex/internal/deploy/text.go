package deploy

import (
	"fmt"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
)

// Text is the plan as a person reads it and a POSIX shell runs it: commands, and
// comments between them.
func (p *Plan) Text() string {
	return p.text(func(s Step) ([]*tool.Command, []tool.Command) { return []*tool.Command{s.Look}, s.Create })
}

// RemovalText is Text for a plan of [Removal].
func (p *Plan) RemovalText() string {
	return p.text(func(s Step) ([]*tool.Command, []tool.Command) { return []*tool.Command{s.On, s.Look}, s.Undo })
}

// text is the plan with what is asked and done at each step.
func (p *Plan) text(of func(Step) (asks []*tool.Command, does []tool.Command)) string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	say("# Deployment %s, project %s, database %s", p.Name, p.Project, p.Database)
	say("#\n# Asked before anything is changed:")
	for _, c := range p.Preconditions {
		say("#\n# %s", c.Asks)
		if c.Command != nil {
			say("#   %s", c.Command)
		}
		say("#   want: %s\n#   else: %s", c.Rule, c.Fix)
	}
	if len(p.Variables) > 0 {
		say("\n# What commands need of this machine:")
		for _, c := range p.Variables {
			say("%s", c)
		}
	}
	for i, s := range p.Steps {
		say("\n# %d. %s", i+1, s.Title)
		asks, does := of(s)
		for _, c := range asks {
			if c != nil {
				say("# there %s? %s", map[bool]string{false: "already", true: "still"}[s.Gone], c)
			}
		}
		for _, c := range does {
			say("%s", c)
		}
	}
	return out.String()
}
