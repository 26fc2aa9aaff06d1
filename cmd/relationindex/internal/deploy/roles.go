package deploy

import (
	"fmt"
	"slices"
)

// resource is what roles are given on: the project, a secret, or what is in Cloud Run.
type resource struct {
	group []string // of gcloud
	name  string
	flags []string
	// conditions: a binding must say that it has none, for others may have one.
	conditions bool
}

func (o Options) onProject() resource { return resource{[]string{"projects"}, o.Project, nil, true} }

func (o Options) onSecret() resource {
	return resource{[]string{"secrets"}, o.secret(), []string{o.project()}, true}
}

// onRun returns a service, as a function is, or a job of Cloud Run: kind is services or jobs.
func (o Options) onRun(kind, name string) resource {
	return resource{[]string{"run", kind}, name, []string{o.project(), o.region()}, false}
}

func (at resource) command(verb string, flags ...string) Command {
	return gcloud(slices.Concat(at.group, []string{verb, at.name}, at.flags, flags)...)
}

// list prints fields of the bindings for which terms hold, a line for each member.
func (at resource) list(fields string, terms ...string) Command {
	return at.command("get-iam-policy", "--flatten=bindings[].members", filter(terms...), values(fields))
}

// change adds or removes a binding without a condition.
func (at resource) change(verb, role, member string) Command {
	flags := []string{"--member=" + member, "--role=" + role}
	if at.conditions {
		flags = append(flags, "--condition=None")
	}
	return at.command(verb, append(flags, "--format=none")...)
}

// is returns the terms for a binding of a role to a member.
func is(role, member string) []string {
	return []string{exactly("bindings.role", role), exactly("bindings.members", member)}
}

// unconditional is the term for a binding without a condition.
const unconditional = `NOT bindings.condition:*`

// give returns the step that gives a member a role.
func (at resource) give(role, member, who string, of ...string) Step {
	return Step{
		Title: role + " on " + at.name + " for " + who, Of: of,
		Look: at.list("bindings.role", is(role, member)...), Want: role, Ours: role,
		Create: []Command{at.change("add-iam-policy-binding", role, member)},
		Undo:   []Command{at.change("remove-iam-policy-binding", role, member)},
	}
}

// giveOnDatabase returns the step that gives an account a role on the deployment's database
// alone, by a condition.
func (o Options) giveOnDatabase(role, email, account string) Step {
	at, member := o.onProject(), "serviceAccount:"+email
	only := fmt.Sprintf(`resource.name=="projects/%s/databases/%s"`, o.Project, o.Config.DatabaseID())
	ours := "(" + exactly("bindings.condition.title", o.mark()) + " OR " + unconditional + ")"
	change := func(verb string, flags ...string) []Command {
		return []Command{at.command(verb, append([]string{"--member=" + member, "--role=" + role, "--format=none"}, flags...)...)}
	}
	return Step{
		Title: role + " for " + email, Of: []string{account},
		Look: at.list("bindings.role,bindings.condition.expression", append(is(role, member), ours)...),
		Want: role + " " + only, Ours: role,
		Create: change("add-iam-policy-binding", "--condition=expression="+only+",title="+o.mark()),
		Undo:   change("remove-iam-policy-binding", "--all"),
	}
}

// take adds that an account does not have a role in the project: neither by a condition nor
// without, or, with the term unconditional, not without one.
func (p *Plan) take(title, role, email, of string, terms ...string) {
	at, member := p.options.onProject(), "serviceAccount:"+email
	which := "--all"
	if slices.Contains(terms, unconditional) {
		which = "--condition=None"
	}
	p.gone(title, at.list("bindings.role", append(is(role, member), terms...)...),
		at.command("remove-iam-policy-binding", "--member="+member, "--role=$"+varLine, which, "--format=none"), of)
}

// invoker adds that a member may call what is in Cloud Run. It goes with that.
//
// A crash before it leaves a function whose events are refused. Eventarc brings them again
// for 24 hours, and the next deployment ends it.
func (p *Plan) invoker(kind, name, member, who, of string) {
	step := p.options.onRun(kind, name).give("roles/run.invoker", member, who, of)
	step.Undo = nil
	p.add(step)
}

// closed adds that nobody has a role on a private function by being anybody: somebody gave
// it by hand.
func (p *Plan) closed(name, of string) {
	at := p.options.onRun("services", name)
	step := Step{Title: "roles of everybody on " + name, Of: []string{of}, Gone: true, Look: at.list("bindings.role", `bindings.members~"^all(Authenticated)?Users$"`)}
	for _, member := range []string{"allUsers", "allAuthenticatedUsers"} {
		has := at.list("bindings.role", exactly("bindings.members", member))
		step.Create = append(step.Create, at.change("remove-iam-policy-binding", "$"+varLine, member).each(has))
	}
	p.add(step)
}
