// Package deploy has the commands that install the system in a Google Cloud project, check it
// and remove it: config check, deploy and undeploy.
//
// [New] makes a [Plan], which is pure data: [Check]s, a script, and the files that it reads. [Machine.Run] runs all checks, and
// then the script, which --dry-run prints. The script has five functions (lib.sh): ensure, gone, bind, watch and wait. It makes
// what is missing in an order in which a stop leaves what runs running, and skips what is done.
//
// # Ownership of resources
//
// A deployment marks its resources. The mark is the deployment's name, then the database unless
// the database is (default). Functions, alert policies and dashboards have the mark in a label. Service accounts, the
// scheduler's job and log-based metrics have the mark in their description. A resource with our name but without our
// mark belongs to somebody else. The script then stops, before any change unless
// somebody makes it meanwhile, and undeploy leaves the resource alone. Labels and descriptions also hold digests of the deployed content. A later
// deployment skips the resources with an unchanged digest.
//
// Rules and indexes have no owner: the rules of a database are one file, and
// indexes may also serve the app's queries. deploy goes on where the database has ours, writes ours where it has none,
// and stops otherwise. undeploy keeps both.
package deploy
