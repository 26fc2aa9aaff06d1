// Package tool has what a deployment calls. It has the commands of gcloud and
// firebase-tools: as data, as a shell takes them, and run on this machine. What neither
// prints, the rules of a database, comes from the Security Rules API.
//
// It knows nothing of what is deployed.
package tool
