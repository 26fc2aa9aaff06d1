package deploy

import "example.com/relationindex/functions/triggers"

// The service accounts of a deployment. No account has a key.
const (
	accountFunctions = string(triggers.AccountFunctions)
	accountFeed      = string(triggers.AccountFeed)
	accountTriggers  = "triggers"
	accountBuild     = "build"
)

// feedRole is the custom role that lets Feed read the user of a token. Feed checks that the user is not
// disabled and the user's tokens are not revoked. All deployments of a project share the role.
//
// The role has firebaseauth.users.get alone. Google has no narrower permission, although this one also
// allows listing accounts ("Access control with IAM" of Identity Platform, read November 2026:
// GetAccountInfo and DownloadAccount require the same permission).
const feedRole = "relationindexFeed"

// serviceAccount is an account of a deployment, with its roles in the project. Roles of Datastore are on the deployment's
// database alone.
type serviceAccount struct {
	which, what string
	roles       []string
}

// serviceAccounts returns the service accounts of a deployment. Builds get an account of their own: their default account
// depends on the age of the organization, and has no rights in young organizations.
func (o Options) serviceAccounts() []serviceAccount {
	all := []serviceAccount{
		{accountFunctions, "what the functions run as", []string{"roles/datastore.user"}},
		{accountTriggers, "what brings events to the functions, and calls Sweep", []string{"roles/eventarc.eventReceiver"}},
		{accountBuild, "what builds the functions", []string{"roles/cloudbuild.builds.builder"}},
	}
	if !o.NoFeed {
		all = append(all, serviceAccount{accountFeed, "what Feed runs as, which only reads", []string{"roles/datastore.viewer", "projects/" + o.Project + "/roles/" + feedRole}})
	}
	return all
}

// email returns the e-mail address of a service account of the deployment.
func (o Options) email(which string) string {
	return o.Name + "-" + which + "@" + o.Project + ".iam.gserviceaccount.com"
}

// buildAccount returns the full name of the account that builds run as.
func (o Options) buildAccount() string {
	return "projects/" + o.Project + "/serviceAccounts/" + o.email(accountBuild)
}

// thisDatabase is the condition that limits a role to the deployment's database.
func (o Options) thisDatabase() string {
	return `expression=resource.name=="projects/` + o.Project + "/databases/" + o.Config.DatabaseID() + `",title=` + o.mark()
}
