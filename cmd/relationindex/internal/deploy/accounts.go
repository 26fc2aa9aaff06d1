package deploy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/functions/triggers"
)

// The service accounts that no function runs as.
const (
	accountTriggers = "triggers"
	accountBuild    = "build"
)

// serviceAccount is an account of a deployment, with its roles in the project.
type serviceAccount struct {
	name, what string
	roles      []string
}

// accounts are those of a deployment.
func (o Options) accounts() []serviceAccount {
	return slices.DeleteFunc([]serviceAccount{
		{string(triggers.AccountFunctions), "what the functions run as", []string{"roles/datastore.user"}},
		{accountTriggers, "what brings events to the functions, and calls Sweep", []string{"roles/eventarc.eventReceiver"}},
		{string(triggers.AccountFeed), "what Feed runs as, which only reads", []string{roleReads, o.lookup()}},
		// The account that builds run as otherwise depends on the age of the
		// organization, and may do nothing in young ones.
		{accountBuild, "what builds the functions", []string{"roles/cloudbuild.builds.builder"}},
	}, func(a serviceAccount) bool { return a.name == string(triggers.AccountFeed) && o.NoFeed })
}

// title is that of the step that makes an account.
func (a serviceAccount) title(o Options) string {
	return "service account " + o.Name + "-" + a.name + ": " + a.what
}

// accounts adds the service accounts and what they may do in the project. None has
// a key.
//
// A crash after an account leaves one that may do nothing; the next deployment
// gives it its roles. A new account and a new role take minutes to be known
// everywhere: see [waitable].
func (p *Plan) accounts(o Options) {
	for _, a := range o.accounts() {
		email, title := o.account(a.name), a.title(o)
		description := o.marked() + a.what
		p.add(Step{
			Title: title,
			Look:  new(tool.Gcloud("iam", "service-accounts", "list", o.project(), tool.Filter(tool.Exactly("email", email)), "--format=value(description)")),
			Want:  description,
			Ours:  o.marked(),
			Create: []tool.Command{tool.Gcloud("iam", "service-accounts", "create", o.Name+"-"+a.name, o.project(),
				"--display-name="+o.Name+"-"+a.name, "--description="+description)},
			Update: []tool.Command{tool.Gcloud("iam", "service-accounts", "update", email, o.project(), "--description="+description)},
			Undo:   []tool.Command{tool.Gcloud("iam", "service-accounts", "delete", email, o.project())},
		})
		for _, role := range a.roles {
			if role == o.lookup() {
				p.role(o, role)
			}
			p.binding(o, title, email, role)
		}
		if a.name == string(triggers.AccountFunctions) {
			p.reads(o, title, email, o.secret())
		}
	}
}

// withoutFeed removes the account of a Feed that an earlier deployment of this name
// made, its roles first. It comes after the function.
func (p *Plan) withoutFeed(o Options) {
	email := o.account(string(triggers.AccountFeed))
	title, member := "no service account "+email, "serviceAccount:"+email
	for _, role := range []string{roleReads, o.lookup(), roleViewer} {
		p.gone("not "+role+" for "+email, title, o.policy("bindings.role", tool.Exactly("bindings.role", role), tool.Exactly("bindings.members", member)),
			tool.Gcloud("projects", "remove-iam-policy-binding", o.Project, "--member="+member, "--role=$"+tool.VarLine, "--all", "--format=none"))
	}
	p.gone(title, "", tool.Gcloud("iam", "service-accounts", "list", o.project(), tool.Filter(tool.Exactly("email", email), fmt.Sprintf("description~%q", "^"+o.marked())), "--format=value(email)"),
		tool.Gcloud("iam", "service-accounts", "delete", email, o.project()))
}

const (
	// roleReads is the role by which Feed's account reads the database.
	roleReads = "roles/datastore.viewer"
	// roleViewer is what an earlier release gave Feed's account in place of lookup.
	roleViewer = "roles/firebaseauth.viewer"
	// permissionLookup is all that Feed needs of Firebase Authentication: it looks up the account of a
	// token, which may be disabled, or its tokens revoked. Google has no narrower one: with it accounts
	// can be listed too ("Access control with IAM" of Identity Platform, read November 2026:
	// GetAccountInfo and DownloadAccount require the same permission).
	permissionLookup = "firebaseauth.users.get"
)

// lookup is the role by which Feed's account looks up accounts of Firebase Authentication. All deployments
// of a project share it.
func (o Options) lookup() string { return "projects/" + o.Project + "/roles/relationindexFeed" }

// role adds the role lookup. Undeploy keeps it: it gives nobody anything by itself, and a deleted role
// keeps its name taken for up to 37 days ("Create and manage custom roles" of IAM).
func (p *Plan) role(o Options, role string) {
	const ours = "deployed by relationindex: "
	description := ours + "Feed asks whether tokens are revoked, by " + permissionLookup
	change := func(verb string) tool.Command {
		return tool.Gcloud("iam", "roles", verb, path.Base(role), o.project(), "--title=relationindex Feed", "--stage=GA",
			"--permissions="+permissionLookup, "--description="+description)
	}
	p.add(Step{
		Title: "role " + role + ": " + permissionLookup + " alone",
		Look:  new(tool.Gcloud("iam", "roles", "list", o.project(), tool.Filter(tool.Exactly("name", role)), "--format=value(description)")),
		Want:  description, Ours: ours,
		Create: []tool.Command{change("create")}, Update: []tool.Command{change("update")},
	})
}

// policy lists who may do what in the project, a line for each member of a binding.
func (o Options) policy(fields string, terms ...string) tool.Command {
	return tool.Gcloud("projects", "get-iam-policy", o.Project, "--flatten=bindings[].members", tool.Filter(terms...), `--format=value[separator=" "](`+fields+")")
}

// narrow takes back the wider roles that an earlier release gave: on every database, and of
// Firebase Authentication. It is the last step: the narrow roles have had as long as the
// deployment takes to be known everywhere. A crash before it leaves both, and the next
// deployment takes these back.
func (p *Plan) narrow(o Options) {
	for _, a := range o.accounts() {
		email := o.account(a.name)
		member := "serviceAccount:" + email
		take := func(title, role string) {
			p.gone(title, a.title(o),
				o.policy("bindings.role", tool.Exactly("bindings.role", role), tool.Exactly("bindings.members", member), unconditional),
				tool.Gcloud("projects", "remove-iam-policy-binding", o.Project, "--member="+member, "--role=$"+tool.VarLine, "--condition=None", "--format=none"))
		}
		for _, role := range a.roles {
			switch {
			case onDatabases(role):
				take("not "+role+" on every database for "+email, role)
			case role == o.lookup():
				take("not "+roleViewer+" for "+email, roleViewer)
			}
		}
	}
}

// onDatabases reports whether a role is given for a database.
func onDatabases(role string) bool { return strings.HasPrefix(role, "roles/datastore.") }

// unconditional is the term of a filter of bindings without a condition.
const unconditional = `NOT bindings.condition:*`

// binding gives an account a role in the project; one on databases for the
// deployment's database alone, by a condition.
func (p *Plan) binding(o Options, part, email, role string) {
	member := "serviceAccount:" + email
	change := func(verb string, flags ...string) tool.Command {
		return tool.Gcloud(slices.Concat([]string{"projects", verb, o.Project, "--member=" + member}, flags, []string{"--format=none"})...)
	}
	is := []string{tool.Exactly("bindings.role", role), tool.Exactly("bindings.members", member)}
	step := Step{Title: role + " for " + email, Part: part, Want: role, Ours: role}
	if onDatabases(role) {
		only := fmt.Sprintf(`resource.name=="projects/%s/databases/%s"`, o.Project, o.Config.DatabaseID())
		add := change("add-iam-policy-binding", "--role="+role, "--condition=expression="+only+",title="+o.mark())
		step.Look = new(o.policy("bindings.role,bindings.condition.expression", append(is, "("+tool.Exactly("bindings.condition.title", o.mark())+" OR "+unconditional+")")...))
		step.Want += " " + only
		step.Create = []tool.Command{add}
	} else {
		step.Look = new(o.policy("bindings.role", is...))
		step.Create = []tool.Command{change("add-iam-policy-binding", "--role="+role, "--condition=None")}
	}
	step.Undo = []tool.Command{change("remove-iam-policy-binding", "--role="+role, "--all")}
	p.add(step)
}

// closed takes from everybody what they may do with a function that is not public:
// somebody gave it to them by hand.
func (p *Plan) closed(o Options, part, function string) {
	service := func(verb string, more ...string) tool.Command {
		return tool.Gcloud(slices.Concat([]string{"run", "services", verb, function, o.project(), o.region()}, more)...)
	}
	roles := func(who string) tool.Command {
		return service("get-iam-policy", "--flatten=bindings[].members", tool.Filter(who), "--format=value(bindings.role)")
	}
	var all []tool.Command
	for _, member := range []string{"allUsers", "allAuthenticatedUsers"} {
		remove := service("remove-iam-policy-binding", "--member="+member, "--role=$"+tool.VarLine, "--format=none")
		remove.Each = tool.VarIDs
		all = append(all, roles(tool.Exactly("bindings.members", member)).Setting(tool.VarIDs), remove)
	}
	p.add(Step{Title: "roles of everybody on " + function, Part: part, Look: new(roles(`bindings.members~"^all(Authenticated)?Users$"`)), Gone: true, Create: all})
}

// reads lets an account read a secret, and no other.
func (p *Plan) reads(o Options, part, email, secret string) {
	const role = "roles/secretmanager.secretAccessor"
	member := "serviceAccount:" + email
	look := tool.Gcloud("secrets", "get-iam-policy", secret, o.project(), "--flatten=bindings[].members",
		tool.Filter(tool.Exactly("bindings.role", role), tool.Exactly("bindings.members", member)), "--format=value(bindings.role)")
	change := func(verb string) tool.Command {
		return tool.Gcloud("secrets", verb, secret, o.project(), "--member="+member, "--role="+role, "--condition=None", "--format=none")
	}
	remove := change("remove-iam-policy-binding")
	remove.Each = tool.VarIDs
	p.add(Step{
		Title: role + " on " + secret + " for " + email,
		Part:  part, On: new(o.secrets("value(name)")), Look: &look, Want: role, Ours: role,
		Create: []tool.Command{change("add-iam-policy-binding")}, Undo: []tool.Command{look.Setting(tool.VarIDs), remove},
	})
}

// invoker lets a member call what is in Cloud Run: one of its services, as a function is, or of its jobs. It
// goes with that.
//
// A crash before it leaves a function whose events are refused; Eventarc brings
// them again for 24 hours, and the next deployment ends it.
func (p *Plan) invoker(o Options, kind, part, name, member, who string) {
	look := tool.Gcloud("run", kind, "get-iam-policy", name, o.project(), o.region(), "--flatten=bindings[].members",
		tool.Filter(tool.Exactly("bindings.role", "roles/run.invoker"), tool.Exactly("bindings.members", member)), "--format=value(bindings.role)")
	p.add(Step{
		Title:  "roles/run.invoker on " + name + " for " + who,
		Part:   part,
		Look:   &look,
		Want:   "roles/run.invoker",
		Ours:   "roles/run.invoker",
		Create: []tool.Command{tool.Gcloud("run", kind, "add-iam-policy-binding", name, o.project(), o.region(), "--member="+member, "--role=roles/run.invoker", "--format=none")},
	})
}
