package deploy

import (
	"slices"
	"strings"
)

// multiRegions are Firestore's locations that are more than a region, with the
// regions that hold all data and have functions ("Locations",
// docs.cloud.google.com/firestore/native/docs/locations, read November 2026;
// us-central2, of nam5, is not public).
var multiRegions = map[string][]string{
	"eur3": {"europe-west1", "europe-west4"},
	"nam5": {"us-central1"},
	"nam7": {"us-central1", "us-east4"},
}

// checkRegion reports a region that a database's location does not go with. A
// trigger is made in the database's location, and one that is made elsewhere
// never fires; a function that is elsewhere pays a way to the database with
// each call.
func checkRegion(location, region string) error {
	regions, multi := multiRegions[location]
	if !multi {
		regions = []string{location}
	}
	return want(slices.Contains(regions, region), "the database is in %s, the functions would be in %s: want %s", location, region, strings.Join(regions, " or "))
}
