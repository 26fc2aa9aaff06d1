// Package deploy has the commands that put the system into a Google Cloud project and take
// it out again: config check, deploy, deploy-check and undeploy.
//
// [New] makes a [Plan], pure data: [Check]s, which are asked first, all of them, and [Step]s,
// each a few commands and how to see whether their work is done already. [Machine.Deploy]
// and [Machine.Undeploy] carry a plan out with the gcloud and firebase command lines. What
// they do can be read, and done by hand, from [Plan.Text].
//
// # What is ours
//
// Everything that a deployment makes carries the deployment's mark, which is its
// name and its database unless that is (default): functions in
// a label, alert policies and dashboards in a label of theirs, service accounts,
// the scheduler's job and log-based metrics in their description. A resource
// with our name but without our mark belongs to somebody else: deploy stops before
// anything is changed, and undeploy leaves it alone. The mark also holds a digest
// of what was deployed, so that a second deployment has nothing to do.
//
// Rules and indexes have no owner: the rules of a database are one file, and
// indexes may serve queries of others too. Rules are replaced only where nothing
// is lost, and undeploy keeps both.
//
// # A deployment that ends half-way
//
// Each step leaves the project in a state that the next deployment goes on from:
// it looks, and does what is missing. Functions come near the end,
// so that an event finds everything that its handler needs: only what calls functions
// comes later.
package deploy
