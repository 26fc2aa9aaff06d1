package deploy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/internal/console"
)

// Prices of a deployment that nobody uses, in USD a month (cloud.google.com, pages
// pricing of Cloud Scheduler and of Secret Manager, read November 2026). A billing
// account has three jobs and six versions of secrets free of charge.
const (
	priceJob    = 0.10
	priceSecret = 0.06
)

// The minutes of a deployment: two to three for each function, and about three for the rest.
const (
	minutesFunction = 2.5
	minutesOther    = 3
)

// Summary describes in a few lines the resources that a plan makes or removes.
func (p *Plan) Summary() string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	o := p.options
	say("Deployment %s, project %s, database %s", o.Name, o.Project, o.Config.DatabaseID())
	if p.removal {
		say("  removes    its functions, service accounts, alerts and scheduled jobs: in %d steps, as far as they are there", len(p.Steps))
		return out.String()
	}
	jobs := 1
	if o.Sample > 0 {
		jobs++
	}
	var functions, accounts []string
	for _, f := range p.functions {
		functions = append(functions, f.ID)
	}
	for _, a := range o.serviceAccounts() {
		accounts = append(accounts, a.ID)
	}
	say("  functions  %d in %s: %s", len(functions), o.Region, strings.Join(functions, ", "))
	if o.Module != "" {
		say("  built of   %s", o.Module)
	}
	say("  accounts   %d service accounts: %s", len(accounts), strings.Join(accounts, ", "))
	notified := "shown in the console only, without --notify"
	if len(o.Notify) > 0 {
		notified = "sent to " + console.Counted(len(o.Notify), "channel")
	}
	say("  alerts     %d, %s", p.alerts, notified)
	say("  rules      %s", o.rulesLine())
	say("  time       about %.0f minutes the first time; later, what has changed", minutesFunction*float64(len(functions))+minutesOther)
	say("  idle       no instance runs. %s USD a month for %s of the scheduler and a secret, and what Cloud Monitoring takes for %s of alerts",
		console.Dollars(priceJob*float64(jobs)+priceSecret), console.Counted(jobs, "job"), console.Counted(p.conditions, "condition"))
	return out.String()
}

// rulesLine describes the effect of a deployment on the rules.
func (o Options) rulesLine() string {
	if o.RulesFile == KeepRules {
		return "those of the database stay"
	}
	return cmp.Or(o.rulesKind(), StandardRules) + ", in place of all rules of the database"
}

// Text returns the plan as a commented script for a POSIX shell. The summary and the checks are
// comments. The commands follow, and each may be run again. work is the directory that has the
// plan's files; "": the shell's variable WORK names the directory.
func (p *Plan) Text(work string) string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	for line := range strings.Lines(p.Summary()) {
		fmt.Fprint(&out, "# ", line)
	}
	say("#\n# These commands do not check what the program checks before it changes anything:")
	for _, c := range p.Checks {
		say("# * %s", c.Want)
	}
	if !p.removal {
		say("# * what has one of these names is not there, or was deployed as %q", p.options.mark())
	}
	say("\n(\nset -e")
	if !p.removal {
		say("\n# In the module's directory:")
		say("%s", workLine(work))
		say("%s=$(cat \"$%s\"/%s)", varSource, varWork, fileSource)
		say("%s=$(date -u +%%Y-%%m-%%dT%%H:%%M:%%SZ)", varNow)
	}
	for i, s := range p.Steps {
		commands := s.text(p.removal)
		if commands != "" && (p.removal || s.Gone) {
			commands = p.guarded(s, commands)
		}
		if commands != "" {
			say("\n# %d. %s\n%s", i+1, s.Title, commands)
		}
	}
	say(")")
	return out.String()
}

func workLine(work string) string {
	if work != "" {
		return varWork + "=" + literal(work)
	}
	return ": \"${" + varWork + ":?deploy --dry-run --files DIR writes the files that these commands read}\""
}

// text returns a step's shell commands, which may be run again. The shell's variable FOUND has the output of Look. A Look
// that fails ends the shell.
func (s Step) text(removal bool) string {
	look := "FOUND=$(" + s.Look.String() + ")\n"
	switch {
	case removal && s.Undo == nil:
		return ""
	case removal && s.Undo[0].Each != nil:
		return lines(s.Undo)
	case removal:
		return look + s.ifOurs(lines(s.Undo), "")
	case s.Once:
		return look + "[ -n \"$FOUND\" ] || " + lines(s.Create)
	case s.Update != nil:
		foreign := literal(s.Title + ": the resource already exists, and this deployment did not make it. Use another --name, or remove the resource")
		return look + "if [ -z \"$FOUND\" ]\nthen " + lines(s.Create) + "\nelse " + s.ifOurs(lines(s.Update), "echo "+foreign+" >&2; exit 1") + "\nfi"
	default:
		return lines(s.Create)
	}
}

// ifOurs returns shell code that runs commands if a deployment of this name made the resource in FOUND. Otherwise the
// code runs others, or nothing if others is "". Without Ours, the code runs commands if the resource exists.
func (s Step) ifOurs(commands, others string) string {
	if s.Ours == "" {
		return "[ -z \"$FOUND\" ] || " + group(commands)
	}
	if others != "" {
		others = "\n*) " + others + ";;"
	}
	return "case \"$FOUND\" in " + literal(s.Ours) + "*)\n" + commands + ";;" + others + "\nesac"
}

func group(commands string) string { return "{\n" + commands + "\n}" }

// guarded returns shell code that runs a step's commands only if the resources of the steps in Of are ours.
func (p *Plan) guarded(s Step, commands string) string {
	for _, title := range s.Of {
		n := slices.IndexFunc(p.Steps, func(s Step) bool { return s.Title == title })
		commands = "FOUND=$(" + p.Steps[n].Look.String() + ")\n" + p.Steps[n].ifOurs(commands, "")
	}
	return commands
}

func lines(commands []Command) string {
	text := make([]string, len(commands))
	for i, c := range commands {
		text[i] = c.String()
	}
	return strings.Join(text, "\n")
}
