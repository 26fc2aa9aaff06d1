// Package deploy tests deployments, as cmd/relationindex/internal/deploy plans them, with the
// installed gcloud and firebase-tools: gcloud talks to a fake of Google Cloud, and
// its parser and the definitions of firebase-tools take every command of a plan. It
// holds tests only.
package deploy
