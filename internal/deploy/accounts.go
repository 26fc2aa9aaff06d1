package deploy

import (
	"example.com/relationindex/functions"
)

// The service accounts that no function runs as.
const (
	accountTriggers = "triggers"
	accountBuild    = "build"
)

// accounts adds the service accounts and what they may do in the project. None has
// a key.
//
// A crash after an account leaves one that may do nothing; the next deployment
// gives it its roles. A new account and a new role take minutes to be known
// everywhere: see [waitable].
func (p *Plan) accounts(o Options) {
	for _, a := range []struct {
		name, what string
		roles      []string
	}{
		{string(functions.AccountFunctions), "what the functions run as", []string{"roles/datastore.user"}},
		{accountTriggers, "what brings events to the functions, and calls Sweep", []string{"roles/eventarc.eventReceiver"}},
		{string(functions.AccountFeed), "what Feed runs as, which only reads", []string{"roles/datastore.viewer", "roles/firebaseauth.viewer"}},
		// The account that builds run as otherwise depends on the age of the
		// organization, and may do nothing in young ones.
		{accountBuild, "what builds the functions", []string{"roles/cloudbuild.builds.builder"}},
	} {
		if a.name == string(functions.AccountFeed) && o.NoFeed {
			continue
		}
		email, title := o.account(a.name), "service account "+o.Name+"-"+a.name+": "+a.what
		description := o.marked() + a.what
		p.add(Step{
			Title: title,
			Look:  new(gcloud("iam", "service-accounts", "list", o.project(), filter(exactly("email", email)), "--format=value(description)")),
			Want:  description,
			Ours:  o.marked(),
			Create: []Command{gcloud("iam", "service-accounts", "create", o.Name+"-"+a.name, o.project(),
				"--display-name="+o.Name+"-"+a.name, "--description="+description)},
			Update: []Command{gcloud("iam", "service-accounts", "update", email, o.project(), "--description="+description)},
			Undo:   []Command{gcloud("iam", "service-accounts", "delete", email, o.project())},
		})
		for _, role := range a.roles {
			p.binding(o, title, email, role)
		}
		if a.name == string(functions.AccountFunctions) && o.TombstoneKeys != "" {
			p.reads(o, title, email, o.TombstoneKeys)
		}
	}
}

// binding gives an account a role in the project.
func (p *Plan) binding(o Options, part, email, role string) {
	member := "serviceAccount:" + email
	look := gcloud("projects", "get-iam-policy", o.Project, "--flatten=bindings[].members",
		filter(exactly("bindings.role", role), exactly("bindings.members", member)), "--format=value(bindings.role)")
	change := func(verb string) []Command {
		return []Command{gcloud("projects", verb, o.Project, "--member="+member, "--role="+role, "--condition=None", "--format=none")}
	}
	p.add(Step{
		Title:  role + " for " + email,
		Part:   part,
		Look:   &look,
		Want:   role,
		Ours:   role,
		Create: change("add-iam-policy-binding"),
		Undo:   change("remove-iam-policy-binding"),
	})
}

// reads lets an account read a secret, and no other.
func (p *Plan) reads(o Options, part, email, secret string) {
	const role = "roles/secretmanager.secretAccessor"
	member := "serviceAccount:" + email
	look := gcloud("secrets", "get-iam-policy", secret, o.project(), "--flatten=bindings[].members",
		`--filter=bindings.role="`+role+`" AND bindings.members="`+member+`"`, "--format=value(bindings.role)")
	change := func(verb string) []Command {
		return []Command{gcloud("secrets", verb, secret, o.project(), "--member="+member, "--role="+role, "--condition=None", "--format=none")}
	}
	p.add(Step{
		Title: role + " on " + secret + " for " + email,
		Part:  part, Look: &look, Want: role, Ours: role,
		Create: change("add-iam-policy-binding"), Undo: change("remove-iam-policy-binding"),
	})
}

// invoker lets a member call a function. It goes with the function.
//
// A crash before it leaves a function whose events are refused; Eventarc brings
// them again for 24 hours, and the next deployment ends it.
func (p *Plan) invoker(o Options, part, function, member, who string) {
	look := gcloud("run", "services", "get-iam-policy", function, o.project(), o.region(), "--flatten=bindings[].members",
		filter(exactly("bindings.role", "roles/run.invoker"), exactly("bindings.members", member)), "--format=value(bindings.role)")
	p.add(Step{
		Title:  "roles/run.invoker on " + function + " for " + who,
		Part:   part,
		Look:   &look,
		Want:   "roles/run.invoker",
		Ours:   "roles/run.invoker",
		Create: []Command{gcloud("run", "services", "add-iam-policy-binding", function, o.project(), o.region(), "--member="+member, "--role=roles/run.invoker", "--format=none")},
	})
}
