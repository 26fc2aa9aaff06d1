package deploy

import (
	"path"
	"slices"
	"strings"

	"example.com/relationindex/functions/triggers"
)

// The service accounts of a deployment. No account has a key.
const (
	accountFunctions = string(triggers.AccountFunctions)
	accountFeed      = string(triggers.AccountFeed)
	accountTriggers  = "triggers"
	accountBuild     = "build"
)

// serviceAccount is an account of a deployment, with its roles in the project.
type serviceAccount struct {
	name, what string
	roles      []string
}

// serviceAccounts returns those of a deployment.
func (o Options) serviceAccounts() []serviceAccount {
	return slices.DeleteFunc([]serviceAccount{
		{accountFunctions, "what the functions run as", []string{"roles/datastore.user"}},
		{accountTriggers, "what brings events to the functions, and calls Sweep", []string{"roles/eventarc.eventReceiver"}},
		{accountFeed, "what Feed runs as, which only reads", []string{roleReads, o.lookup()}},
		// The account that builds run as otherwise depends on the age of the
		// organization, and may do nothing in young ones.
		{accountBuild, "what builds the functions", []string{"roles/cloudbuild.builds.builder"}},
	}, func(a serviceAccount) bool { return a.name == accountFeed && o.NoFeed })
}

// title returns the title of the step that makes an account.
func (a serviceAccount) title(o Options) string {
	return "service account " + o.Name + "-" + a.name + ": " + a.what
}

const (
	// roleReads is the role by which Feed's account reads the database.
	roleReads = "roles/datastore.viewer"
	// roleViewer is what an earlier release gave Feed's account in place of lookup.
	roleViewer = "roles/firebaseauth.viewer"
	// permissionLookup is all that Feed needs of Firebase Authentication: it looks up the account
	// of a token, which may be disabled, or its tokens revoked. Google has no narrower one: with it
	// accounts can be listed too ("Access control with IAM" of Identity Platform, read November
	// 2026: GetAccountInfo and DownloadAccount require the same permission).
	permissionLookup = "firebaseauth.users.get"
)

// lookup returns the role by which Feed's account looks up accounts of Firebase
// Authentication. All deployments of a project share it.
func (o Options) lookup() string { return "projects/" + o.Project + "/roles/relationindexFeed" }

// onDatabases reports whether a role is given for a database.
func onDatabases(role string) bool { return strings.HasPrefix(role, "roles/datastore.") }

// accounts adds the service accounts and what they may do.
//
// A crash after an account leaves one that may do nothing. The next deployment gives it its
// roles. A new account and a new role take minutes to be known everywhere: see waitable.
func (p *Plan) accounts() {
	o := p.options
	for _, a := range o.serviceAccounts() {
		email, title := o.account(a.name), a.title(o)
		description := o.marked() + a.what
		p.overview.accounts = append(p.overview.accounts, o.Name+"-"+a.name)
		p.add(Step{
			Title: title, Want: description, Ours: o.marked(),
			Look:   gcloud("iam", "service-accounts", "list", o.project(), filter(exactly("email", email)), "--format=value(description)"),
			Create: []Command{gcloud("iam", "service-accounts", "create", o.Name+"-"+a.name, o.project(), "--display-name="+o.Name+"-"+a.name, "--description="+description)},
			Update: []Command{gcloud("iam", "service-accounts", "update", email, o.project(), "--description="+description)},
			Undo:   []Command{gcloud("iam", "service-accounts", "delete", email, o.project())},
		})
		for _, role := range a.roles {
			if onDatabases(role) {
				p.add(o.giveOnDatabase(role, email, title))
				continue
			}
			if role == o.lookup() {
				p.lookupRole()
			}
			p.add(o.onProject().give(role, "serviceAccount:"+email, email, title))
		}
		if a.name == accountFunctions {
			p.add(o.onSecret().give("roles/secretmanager.secretAccessor", "serviceAccount:"+email, email, title, p.secretTitle()))
		}
	}
}

// lookupRole adds the role lookup. Undeploy keeps it: it gives nobody anything by itself,
// and a deleted role keeps its name taken for up to 37 days ("Create and manage custom
// roles" of IAM).
func (p *Plan) lookupRole() {
	const ours = "deployed by relationindex: "
	const description = ours + "Feed asks whether tokens are revoked, by " + permissionLookup
	o := p.options
	change := func(verb string) []Command {
		return []Command{gcloud("iam", "roles", verb, path.Base(o.lookup()), o.project(), "--title=relationindex Feed", "--stage=GA",
			"--permissions="+permissionLookup, "--description="+description)}
	}
	p.add(Step{
		Title: "role " + o.lookup() + ": " + permissionLookup + " alone", Want: description, Ours: ours,
		Look:   gcloud("iam", "roles", "list", o.project(), filter(exactly("name", o.lookup())), "--format=value(description)"),
		Create: change("create"), Update: change("update"),
	})
}

// withoutFeed removes the account of a Feed that an earlier deployment of this name made,
// its roles first. It comes after the function.
func (p *Plan) withoutFeed() {
	o := p.options
	email := o.account(accountFeed)
	title := "no service account " + email
	for _, role := range []string{roleReads, o.lookup(), roleViewer} {
		p.take("not "+role+" for "+email, role, email, title)
	}
	ours := filter(exactly("email", email), `description~"^`+o.marked()+`"`)
	p.gone(title, gcloud("iam", "service-accounts", "list", o.project(), ours, "--format=value(email)"),
		gcloud("iam", "service-accounts", "delete", "$"+varLine, o.project()))
}

// narrow takes back the wider roles that an earlier release gave: on every database, and of
// Firebase Authentication. It is last: by then the narrow roles are known everywhere. A
// crash before it leaves both, and the next deployment takes these back.
func (p *Plan) narrow() {
	o := p.options
	for _, a := range o.serviceAccounts() {
		email := o.account(a.name)
		for _, role := range a.roles {
			switch {
			case onDatabases(role):
				p.take("not "+role+" on every database for "+email, role, email, a.title(o), unconditional)
			case role == o.lookup():
				p.take("not "+roleViewer+" for "+email, roleViewer, email, a.title(o), unconditional)
			}
		}
	}
}
