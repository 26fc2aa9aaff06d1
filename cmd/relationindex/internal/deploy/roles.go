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
	// roleReads is the role by which Feed's account reads the database.
	roleReads = "roles/datastore.viewer"
	// roleViewer is what an earlier release gave Feed's account in place of feedRole.
	roleViewer = "roles/firebaseauth.viewer"
	// roleKey is the role by which the functions read the key of tombstones.
	roleKey = "roles/secretmanager.secretAccessor"
)

// feedRole returns the role by which Feed's account looks up the account of a token, which
// may be disabled, or its tokens revoked. All deployments of a project share it.
//
// It has firebaseauth.users.get alone. Google has no narrower permission: with it accounts can
// be listed too ("Access control with IAM" of Identity Platform, read November 2026:
// GetAccountInfo and DownloadAccount require the same permission).
func (o Options) feedRole() string { return "projects/" + o.Project + "/roles/relationindexFeed" }

// serviceAccount is an account of a deployment.
type serviceAccount struct {
	ID, Email, What string
	Title           string // of the step that makes it
	Bindings        []binding
	Wider           []taken // roles of an earlier release
	Taken           []taken // all roles, where the account goes
	Feed            bool
}

// binding is a role that a member has on something.
type binding struct {
	At, On, Condition        string // for gcloud
	Where, Role, Member, Who string
	OnDatabase               bool     // on the deployment's database alone, by a condition
	Of                       []string // titles of steps
}

// taken is a role in the project that an account does not have any more.
type taken struct {
	Title, Role, Member, Of string
	Term, Flag              string // of a filter, and of the command that takes it
}

// serviceAccounts returns the service accounts of a deployment.
//
// A crash after an account leaves one that may do nothing. The next deployment gives it its
// roles. A new account and a new role take minutes to be known everywhere: see waitable.
func (o Options) serviceAccounts() []serviceAccount {
	all := []serviceAccount{
		o.serviceAccount(accountFunctions, "what the functions run as", "roles/datastore.user", roleKey),
		o.serviceAccount(accountTriggers, "what brings events to the functions, and calls Sweep", "roles/eventarc.eventReceiver"),
	}
	if !o.NoFeed {
		all = append(all, o.feed())
	}
	// The account that builds run as otherwise depends on the age of the
	// organization, and may do nothing in young ones.
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

// serviceAccount returns an account with roles in the project or, of those that name them,
// on the database or on the secret.
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

// wider returns that an account does not have a role without a condition.
func (o Options) wider(a serviceAccount, role string) taken {
	title := "not " + role + " for " + a.Email
	if role != roleViewer {
		title = "not " + role + " on every database for " + a.Email
	}
	return taken{title, role, "serviceAccount:" + a.Email, a.Title, " AND NOT bindings.condition:*", "--condition=None"}
}

// invoker returns that a member may call a service, as a function is, or a job of Cloud Run.
// It goes with that.
//
// A crash before it leaves a function whose events are refused. Eventarc brings them again
// for 24 hours, and the next deployment ends it.
func (o Options) invoker(kind, name, of string) binding {
	email := o.account(accountTriggers)
	return binding{
		At: "run " + kind, On: name + " " + o.region(), Where: name, Role: "roles/run.invoker",
		Member: "serviceAccount:" + email, Who: email, Of: []string{of},
	}
}

// thisDatabase is the condition of a role on the deployment's database alone.
func (o Options) thisDatabase() string {
	return `resource.name=="projects/` + o.Project + "/databases/" + o.Config.DatabaseID() + `"`
}
