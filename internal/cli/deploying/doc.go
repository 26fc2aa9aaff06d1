// Package deploying has the commands for a deployment: config check, deploy-plan,
// deploy and undeploy. They read the environment's variables and the module's
// files; the plan, and what carries it out, are in package deploy.
package deploying
