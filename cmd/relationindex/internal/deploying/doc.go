// Package deploying has the commands for a deployment: config check, deploy-plan,
// deploy and undeploy. It reads flags, variables and the module's files. The plan,
// and the machine that carries it out, are in package deploy.
package deploying
