// Package deploy has the commands that install the system in a Google Cloud project, check it
// and remove it: config check, deploy, deploy-check and undeploy.
//
// [New] makes a [Plan], which is pure data: [Check]s and [Step]s. All checks run first. A step has a few commands, and
// usually a Look, which shows whether the step is already done. [Machine.Deploy] and [Machine.Undeploy] carry out a plan
// with the command lines of gcloud and firebase. [Plan.Text] returns the commands as text, to read or to run by hand.
//
// # Ownership of resources
//
// A deployment marks its resources. The mark is the deployment's name, then the database unless
// the database is (default). Functions, the sampling job, the repository of its image, alert
// policies and dashboards have the mark in a label. Service accounts, the scheduler's jobs and
// log-based metrics have the mark in their description. A resource with our name but without our
// mark belongs to somebody else. deploy then stops before any change, and undeploy leaves the
// resource alone. Labels and descriptions also hold digests of the deployed content. A later
// deployment skips the resources with an unchanged digest.
//
// Rules and indexes have no owner: the rules of a database are one file, and
// indexes may also serve the app's queries. deploy replaces rules only if nothing is
// lost, or if --replace-rules accepts the loss. undeploy keeps the rules, and removes
// indexes only with --indexes.
//
// # A deployment that ends half-way
//
// After an interruption at any step, the next deployment finds the missing steps and does
// them. Functions come after the resources that handlers need: indexes, rules, the secret,
// accounts and their roles. The callers of functions, the sampling job and monitoring come later.
package deploy
