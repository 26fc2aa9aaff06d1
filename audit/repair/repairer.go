package repair

import (
	"example.com/relationindex/accounts"
	"example.com/relationindex/audit/strange"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/followers"
	"example.com/relationindex/relations"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
	"example.com/relationindex/tallies"
)

// Repairer repairs the documents of one database. It is safe for concurrent use.
type Repairer struct {
	// Skipped gets the documents that the first check skips, in the same way as report gets violations. nil: not
	// called. Set it before the first call.
	Skipped func(strange.Skipped)

	db        *schema.Database
	accounts  *accounts.Lifecycle
	graph     *followers.Graph
	relations *relations.Delivery
	verifier  *verify.Verifier
	tallies   *tallies.Tallies
}

// New makes the repairer of a system. It sends no requests.
func New(s *social.System) *Repairer {
	return &Repairer{db: s.DB, accounts: s.Accounts, graph: s.Graph, relations: s.Relations, verifier: verify.New(s), tallies: s.Tallies}
}
