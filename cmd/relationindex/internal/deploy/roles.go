package deploy

import (
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

const (
	// roleReads lets Feed's account read the database.
	roleReads = "roles/datastore.viewer"
	// roleViewer is the role that an earlier release gave Feed's account instead of feedRole.
	roleViewer = "roles/firebaseauth.viewer"
	// roleKey lets the functions read the key of tombstones.
	roleKey = "roles/secretmanager.secretAccessor"
)

// feedRole returns the role that lets Feed read the user of a token. Feed checks that the user is not
// disabled and the user's tokens are not revoked. All deployments of a project share the role.
//
// The role has firebaseauth.users.get alone. Google has no narrower permission, although this one also
// allows listing accounts ("Access control with IAM" of Identity Platform, read November 2026:
// GetAccountInfo and DownloadAccount require the same permission).
func (o Options) feedRole() string { return "projects/" + o.Project + "/roles/relationindexFeed" }

// serviceAccount is an account of a deployment.
type serviceAccount struct {
	ID, Email, What string
	Title           string // of the step that creates the account
	Bindings        []binding
	Wider           []taken // wider roles of an earlier release, to remove
	Taken           []taken // all roles, to remove with the account
	Feed            bool
}

// binding is a role that a member has on a resource.
type binding struct {
	At, On, Condition        string // for gcloud
	Where, Role, Member, Who string
	OnDatabase               bool     // on the deployment's database alone, by a condition
	Of                       []string // titles of steps
}

// taken is a role in the project that a deployment removes from an account.
type taken struct {
	Title, Role, Member, Of string
	Term, Flag              string // a term of the filter that finds the role, and a flag of the command that removes the role
}

// serviceAccounts returns the service accounts of a deployment.
//
// A crash after an account is created leaves an account without roles. The next deployment adds
// its roles. New accounts and roles take minutes to work everywhere: see waitable.
func (o Options) serviceAccounts() []serviceAccount {
	all := []serviceAccount{
		o.serviceAccount(accountFunctions, "what the functions run as", "roles/datastore.user", roleKey),
		o.serviceAccount(accountTriggers, "what brings events to the functions, and calls Sweep", "roles/eventarc.eventReceiver"),
	}
	if !o.NoFeed {
		all = append(all, o.feed())
	}
	// Builds get an account of their own. Their default account depends on the age of
	// the organization, and has no rights in young organizations.
	return append(all, o.serviceAccount(accountBuild, "what builds the functions", "roles/cloudbuild.builds.builder"))
}

// feed returns the account of Feed.
func (o Options) feed() serviceAccount {
	a := o.serviceAccount(accountFeed, "what Feed runs as, which only reads", roleReads, o.feedRole())
	a.Feed = true
	a.Wider = append(a.Wider, o.wider(a, roleViewer))
	for _, role := range []string{roleReads, o.feedRole(), roleViewer} {
		a.Taken = append(a.Taken, taken{"not " + role + " for " + a.Email, role, "serviceAccount:" + a.Email, "no service account " + a.Email, "", "--all"})
	}
	return a
}

// serviceAccount returns an account with its roles: Datastore roles on the database, roleKey
// on the secret, and other roles in the project.
func (o Options) serviceAccount(which, what string, roles ...string) serviceAccount {
	a := serviceAccount{ID: o.Name + "-" + which, Email: o.account(which), What: what}
	a.Title = "service account " + a.ID + ": " + what
	for _, role := range roles {
		b := binding{
			At: "projects", On: o.Project, Condition: " --condition=None",
			Where: o.Project, Role: role, Member: "serviceAccount:" + a.Email, Who: a.Email, Of: []string{a.Title},
		}
		switch {
		case strings.HasPrefix(role, "roles/datastore."):
			b.OnDatabase, b.Where = true, "the database "+o.Config.DatabaseID()
			b.Condition = " --condition=expression=" + o.thisDatabase() + ",title=" + o.mark()
			a.Wider = append(a.Wider, o.wider(a, role))
		case role == roleKey:
			b.At, b.On, b.Where, b.Of = "secrets", o.secret(), o.secret(), append(b.Of, "secret "+o.secret())
		}
		a.Bindings = append(a.Bindings, b)
	}
	return a
}

// wider returns the removal of a role that an account has without a condition.
func (o Options) wider(a serviceAccount, role string) taken {
	title := "not " + role + " for " + a.Email
	if role != roleViewer {
		title = "not " + role + " on every database for " + a.Email
	}
	return taken{title, role, "serviceAccount:" + a.Email, a.Title, " AND NOT bindings.condition:*", "--condition=None"}
}

// invoker returns the binding that lets the triggers' account call a Cloud Run service, such as a
// function, or run a Cloud Run job. The binding is deleted with the service or the job.
//
// A crash before this binding leaves a function that rejects its events. Eventarc redelivers the events
// for 24 hours. The next deployment adds the binding.
func (o Options) invoker(kind, name, of string) binding {
	email := o.account(accountTriggers)
	return binding{
		At: "run " + kind, On: name + " " + o.region(), Where: name, Role: "roles/run.invoker",
		Member: "serviceAccount:" + email, Who: email, Of: []string{of},
	}
}

// thisDatabase returns the condition that limits a role to the deployment's database.
func (o Options) thisDatabase() string {
	return `resource.name=="projects/` + o.Project + "/databases/" + o.Config.DatabaseID() + `"`
}
