// Package feeds is an app's own repository of functions: the functions of relationindex, with a delivery and a ranking of the
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

// Configure adds the app's own parts to the configuration from the environment.
func Configure(c *social.Config) {
	c.Deliveries, c.Ranking = []social.Delivery{Unread()}, Teams()
}
