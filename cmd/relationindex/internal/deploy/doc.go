// Package deploy has the commands that put the system into a Google Cloud project and take
// it out again: config check, deploy, deploy-check and undeploy.
//
// [New] makes a [Plan], which is pure data: [Check]s and [Step]s. All checks run first. A step is a few commands, and
// a way to see whether their work is already done. [Machine.Deploy] and [Machine.Undeploy] carry out a plan with the
// command lines of gcloud and firebase. [Plan.Text] prints the commands, to read or to run by hand.
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
// After each step, the next deployment can continue: it finds the missing steps, and
// does them. Functions come near the end, so that an event finds everything that its
// handler needs. Only the callers of functions come later.
package deploy
