package load

import (
	"example.com/relationindex/followers"
	"example.com/relationindex/relations"
	"example.com/relationindex/schema"
	"example.com/relationindex/social"
)

// Loader loads follows into one database. It is safe for concurrent use.
type Loader struct {
	db        *schema.Database
	graph     *followers.Graph
	relations *relations.Delivery
}

// New makes the loader of a system. It sends no requests.
func New(s *social.System) *Loader {
	return &Loader{db: s.DB, graph: s.Graph, relations: s.Relations}
}
