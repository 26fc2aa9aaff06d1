package deploy

import (
	"embed"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

//go:embed steps.tmpl
var stepsFile embed.FS

// list sets Steps from a template of steps.tmpl. The template may use the functions of words and of more.
func (p *Plan) list(name string, more template.FuncMap) error {
	all, err := template.New("").Funcs(p.words()).Funcs(more).ParseFS(stepsFile, "steps.tmpl")
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := all.ExecuteTemplate(&text, name, nil); err != nil {
		return err
	}
	p.Steps, err = p.options.parse(text.String())
	return err
}

// words returns the functions that every template may use.
func (p *Plan) words() template.FuncMap {
	o := p.options
	text := func(value string) func() string { return func() string { return value } }
	return template.FuncMap{
		"project": text(o.Project), "region": text(o.Region), "name": text(o.Name), "database": text(o.Config.DatabaseID()),
		"mark": o.mark, "marked": o.marked, "thisDatabase": o.thisDatabase,
		"secret": o.secret, "keyVersion": text(config.TombstoneVersion), "readsKey": o.readsKey, "rules": o.rulesTitle,
		"account": o.account, "buildAccount": o.buildAccount, "accounts": o.serviceAccounts, "feedRole": o.feedRole, "feed": o.feed,
		"functions": func() []function { return p.functions }, "noFunction": func() function { return o.functionOf(triggers.Trigger{Name: triggers.Feed}) },
		"noFeed": func() bool { return o.NoFeed }, "sampling": func() bool { return o.Sample > 0 },
		"image": o.image, "sampleArgs": o.sampleArgs, "sampleDoes": o.sampleDoes,
		"sampleInvoker": func() binding { return o.invoker("jobs", o.Name+"-sample", "Cloud Run job "+o.Name+"-sample") },
		"watched":       p.watched, "watches": o.unwatched, "indexes": func() bool { return false },
		"collections": func() []string { return onlyOurs }, "overrides": o.overrides,
		"sweepSeconds": func() int { return int(triggers.SweepTimeout.Seconds()) },
		"job":          func(which string) string { return o.inRegion("jobs", o.Name+"-"+which) },
		"repository":   func() string { return o.inRegion("repositories", o.Name) },
		"exactly":      exactly, "q": literal,
		"is": func(role, member string) string {
			return exactly("bindings.role", role) + " AND " + exactly("bindings.members", member)
		},
	}
}

// inRegion returns the full name of a resource in the functions' region.
func (o Options) inRegion(kind, name string) string {
	return fmt.Sprintf("projects/%s/locations/%s/%s/%s", o.Project, o.Region, kind, name)
}

// parse parses the text of steps.
func (o Options) parse(text string) (steps []Step, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		title, begins := strings.CutPrefix(line, "# ")
		switch {
		case begins:
			steps = append(steps, Step{Title: title})
		case line != "":
			if err := o.parseLine(&steps[len(steps)-1], line); err != nil {
				return nil, err
			}
		}
	}
	for i := range steps {
		steps[i].fillDigest()
	}
	return steps, nil
}

// parseLine parses a line of a step.
func (o Options) parseLine(s *Step, line string) error {
	field, rest, _ := strings.Cut(line, " ")
	command := func(text string) Command {
		if text, each := strings.CutPrefix(text, "each "); each {
			return o.parseCommand(text).each(s.Look)
		}
		return o.parseCommand(text)
	}
	switch field {
	case "look":
		s.Look = command(rest)
	case "want":
		s.Want = rest
	case "ours":
		s.Ours = rest
	case "of":
		s.Of = append(s.Of, rest)
	case "gone":
		s.Gone = true
	case "once":
		s.Once = true
	case "change":
		s.Create = append(s.Create, command(strings.Replace(rest, "VERB", "create", 1)))
		s.Update = append(s.Update, command(strings.Replace(rest, "VERB", "update", 1)))
	case "create":
		s.Create = append(s.Create, command(rest))
	case "update":
		s.Update = append(s.Update, command(rest))
	case "undo":
		s.Undo = append(s.Undo, command(rest))
	default:
		return fmt.Errorf("steps.tmpl: %q in the step %q", line, s.Title)
	}
	return nil
}

var (
	loop = regexp.MustCompile(`^for LINE in \$\((.*)\); do (.*); done$`)
	word = regexp.MustCompile(`(?:'[^']*'|\\'|[^'\\\s]|\\[^'])+`)
	mark = regexp.MustCompile(`'([^']*)'|\\(')`)
)

// parseCommand parses a command in shell syntax: words, single quotes and a loop over LINE.
func (o Options) parseCommand(text string) Command {
	if m := loop.FindStringSubmatch(text); m != nil {
		return o.parseCommand(m[2]).each(o.parseCommand(m[1]))
	}
	args := word.FindAllString(text, -1)
	for i, arg := range args {
		args[i] = mark.ReplaceAllString(arg, "$1$2")
	}
	if args[0] == "firebase" {
		return firebase(append(args[1:], o.project())...)
	}
	return gcloud(append(args[1:], o.project())...)
}

// fillDigest replaces the word @DIGEST@ by the digest of the step's first create command.
func (s *Step) fillDigest() {
	if !strings.Contains(s.Want, "@DIGEST@") {
		return
	}
	fill := strings.NewReplacer("@DIGEST@", digest(s.Create[0].Args...))
	s.Want = fill.Replace(s.Want)
	for _, commands := range [][]Command{s.Create, s.Update} {
		for _, c := range commands {
			for i, arg := range c.Args {
				c.Args[i] = fill.Replace(arg)
			}
		}
	}
}
