package estimate

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Prices are list prices in USD, without free quotas, discounts and taxes.
type Prices struct {
	Location string
	Read     float64 // per 100,000 documents
	Write    float64 // per 100,000
	Delete   float64 // per 100,000
	Storage  float64 // per GiB and month
	Egress   float64 // per GiB to the internet
	Call     float64 // of a function, per million; its time of a CPU is not in it
	// Of Enterprise edition, per million: of 4 KiB read, and of 1 KiB written with its index
	// entries.
	EnterpriseRead  float64
	EnterpriseWrite float64
	Changed         []string // names of the prices that are not the list's
}

// PricesDate is when the sources below were read.
const PricesDate = "November 2026"

// DefaultLocation is where prices are taken from unless another is asked for.
const DefaultLocation = "us-central1"

// ListPrices are the prices by location of the database. Sources has where each is from.
var ListPrices = map[string]Prices{
	"us-central1": {Location: "us-central1", Read: 0.03, Write: 0.09, Delete: 0.01, Storage: 0.15, Egress: 0.12, Call: 0.40, EnterpriseRead: 0.05, EnterpriseWrite: 0.26},
	"nam5":        {Location: "nam5 (multi-region)", Read: 0.06, Write: 0.18, Delete: 0.02, Storage: 0.18, Egress: 0.12, Call: 0.40, EnterpriseRead: 0.05, EnterpriseWrite: 0.26},
}

// Source is where a list price was found.
type Source struct {
	Price  string // its name, as in Set
	Unit   string
	Found  string
	Proven bool // on a page of Google's
}

// Sources are the sources of ListPrices, read in PricesDate. Google's pricing
// pages load their tables from elsewhere, so that a stored copy of one does not
// show every number: what only others say is not proven.
var Sources = []Source{
	{"read", "100,000 documents", "Google's comparison of Firestore editions; nam5: Firestore pricing page, a copy of 2020", true},
	{"write", "100,000 documents", "the same", true},
	{"delete", "100,000 documents", "the same", true},
	{"storage", "a GiB and month", "lists by others; nam5: the example on the Firestore pricing page, a copy of 2018", false},
	{"egress", "a GiB to the internet", "guides by others, 2024 to 2026; it falls with the amount and differs by continent", false},
	{"enterprise-read", "1,000,000 units of 4 KiB", "Google's comparison of Firestore editions, for us-central1", true},
	{"enterprise-write", "1,000,000 units of 1 KiB", "the same", true},
	{"call", "1,000,000 calls", "guides by others to Cloud Run, 2025; Eventarc takes nothing for events of Google's", false},
}

// byName are the prices by the names that Set takes.
func (p *Prices) byName() map[string]*float64 {
	return map[string]*float64{
		"read": &p.Read, "write": &p.Write, "delete": &p.Delete, "storage": &p.Storage, "egress": &p.Egress, "call": &p.Call,
		"enterprise-read": &p.EnterpriseRead, "enterprise-write": &p.EnterpriseWrite,
	}
}

// Set replaces prices by name. A name that is none, or a price that cannot be, is an error.
func (p *Prices) Set(changes map[string]float64) error {
	prices := p.byName()
	var errs []error
	for _, name := range slices.Sorted(maps.Keys(changes)) {
		usd := changes[name]
		price, ok := prices[name]
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("price %q: must be one of %s", name, strings.Join(slices.Sorted(maps.Keys(prices)), ", ")))
		case math.IsNaN(usd) || usd < 0 || usd > 1e6:
			errs = append(errs, fmt.Errorf("price %s=%v: must be a number of 0 to 1,000,000 USD", name, usd))
		default:
			*price = usd
			p.Changed = append(p.Changed, name)
		}
	}
	return errors.Join(errs...)
}

// USD is a price by its name, which must be one.
func (p Prices) USD(name string) float64 { return *p.byName()[name] }

// IsChanged reports whether Set has replaced a price.
func (p Prices) IsChanged(name string) bool { return slices.Contains(p.Changed, name) }

// Bill is what a month costs, in USD.
type Bill struct {
	Reads   float64 `json:"reads"`
	Writes  float64 `json:"writes"`
	Deletes float64 `json:"deletes"`
	Calls   float64 `json:"calls"`
	Storage float64 `json:"storage"`
	Egress  float64 `json:"egress"`
	Total   float64 `json:"total"`
}

const gib = 1 << 30

func (p Prices) bill(u Usage) Bill {
	b := Bill{
		Reads: u.Reads / 1e5 * p.Read, Writes: u.Writes / 1e5 * p.Write, Deletes: u.Deletes / 1e5 * p.Delete,
		Calls: u.Invocations / 1e6 * p.Call, Storage: u.Storage.Total() / gib * p.Storage, Egress: u.EgressBytes / gib * p.Egress,
	}
	b.Total = b.Reads + b.Writes + b.Deletes + b.Calls + b.Storage + b.Egress
	return b
}
