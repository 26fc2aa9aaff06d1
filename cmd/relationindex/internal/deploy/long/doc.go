// Package deploy tests the plans of cmd/relationindex/internal/deploy with the installed
// gcloud and firebase-tools. gcloud talks to a fake of Google Cloud. The parser of gcloud
// and the definitions of firebase-tools must accept every command of a plan. The package
// holds tests only.
package deploy
