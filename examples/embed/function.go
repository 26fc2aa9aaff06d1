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

func init() { functions.Register(relationindex.FirestoreIndexes, Configure) }

// Configure adds what is this app's own to what the variables say.
func Configure(c *social.Config) {
	c.Deliveries, c.Ranking = []social.Delivery{Unread()}, Teams()
}
