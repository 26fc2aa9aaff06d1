// Package feeds is an app's own repository of functions: those of relationindex, with a delivery and a ranking of the
// app. `gcloud functions deploy --source=.` builds it.
package feeds

import (
	// The buildpack requires this import, in this package.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"

	"example.com/relationindex"
	"example.com/relationindex/functions"
	"example.com/relationindex/social"
)

func init() { functions.Register(relationindex.FirestoreIndexes, Options) }

// Options are what this app adds.
func Options(o *social.Options) {
	o.Deliveries = append(o.Deliveries, Unread())
	o.Timelines.Ranking = Teams()
}
