package prices

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// List holds list prices in USD, without free quotas, discounts and taxes.
type List struct {
	Read    float64 `json:"read"`    // per 100,000 documents
	Write   float64 `json:"write"`   // per 100,000
	Delete  float64 `json:"delete"`  // per 100,000
	Storage float64 `json:"storage"` // per GiB and month
	Egress  float64 `json:"egress"`  // per GiB to the internet
	Call    float64 `json:"call"`    // of a function, per million calls; without the CPU time
}

// DefaultLocation is the location of the prices if no other is given.
const DefaultLocation = "us-central1"

// Lists holds the prices by location of the database, read in November 2026. The prices of reads, writes
// and deletes are from Google's comparison of Firestore editions; those of nam5 are from a copy of its
// pricing page of 2020. The prices of storage, egress and calls are from other people's lists and guides,
// and not proven. Egress gets cheaper with the amount, and differs by continent.
var Lists = map[string]List{
	"us-central1": {Read: 0.03, Write: 0.09, Delete: 0.01, Storage: 0.15, Egress: 0.12, Call: 0.40},
	"nam5":        {Read: 0.06, Write: 0.18, Delete: 0.02, Storage: 0.18, Egress: 0.12, Call: 0.40},
}

// Units holds the unit of each price, by the name of the price.
var Units = map[string]string{
	"read": "100,000 documents", "write": "100,000 documents", "delete": "100,000 documents",
	"storage": "a GiB and month", "egress": "a GiB to the internet", "call": "1,000,000 calls of functions",
}

// Set replaces the price with this name. An unknown name or an impossible price is an error.
func (l *List) Set(name string, usd float64) error {
	price, ok := map[string]*float64{
		"read": &l.Read, "write": &l.Write, "delete": &l.Delete, "storage": &l.Storage, "egress": &l.Egress, "call": &l.Call,
	}[name]
	switch {
	case !ok:
		return fmt.Errorf("--price %s: must be one of %s", name, strings.Join(slices.Sorted(maps.Keys(Units)), ", "))
	case math.IsNaN(usd) || usd < 0 || usd > 1e6:
		return fmt.Errorf("--price %s=%v: must be a number of 0 to 1,000,000 USD", name, usd)
	}
	*price = usd
	return nil
}

const gib = 1 << 30

// bill returns the cost in USD of documents, storage and egress.
func (l List) bill(c Counts, stored, sent float64) float64 {
	documents := c.Reads*l.Read + c.Writes*l.Write + c.Deletes*l.Delete
	return documents/1e5 + c.Invocations/1e6*l.Call + stored/gib*l.Storage + sent/gib*l.Egress
}
