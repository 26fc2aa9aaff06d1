package accounts

import (
	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/schema"
)

// Lifecycle handles accounts from their first profile to their deletion. It is safe for
// concurrent use.
type Lifecycle struct {
	db     *schema.Database
	graph  *followers.Graph
	engine *chunker.Engine
}

// New makes the lifecycle of a graph's accounts, and registers its tasks. Call it after
// [followers.Graph.Deliver] and Keep, since a purge removes what deliveries wrote. New sends no
// requests.
func New(graph *followers.Graph) *Lifecycle {
	x := &Lifecycle{db: graph.Database(), graph: graph, engine: graph.Engine()}
	for _, task := range x.Tasks() {
		x.engine.Register(task)
	}
	return x
}

// Tasks returns the tasks for an account's deletion, for a change of its profile, and for the
// documents below a deleted post.
func (x *Lifecycle) Tasks() []chunker.Task {
	return []chunker.Task{x.purgeTask(), x.profileTask(), x.belowTask()}
}
