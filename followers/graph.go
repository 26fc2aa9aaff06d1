package followers

import (
	"example.com/relationindex/chunker"
	"example.com/relationindex/internal/batch"
	"example.com/relationindex/internal/work"
	"example.com/relationindex/schema"
)

// Graph holds the follows of one database. It is safe for concurrent use. Make one for each process, so that its events
// share transactions.
type Graph struct {
	db     *schema.Database
	engine *chunker.Engine

	deliveries Deliveries
	off        Deliveries                               // see Keep
	members    *batch.Group[string, string, Membership] // by author; items are followers

	// Pool limits the concurrent work of the process. All work on the database shares it.
	Pool work.Pool
	// arrays limits the arrays that members transactions read, to one at a time. They have
	// locks by then, and work with a share of Pool may wait for these locks.
	arrays *batch.Limiter
}

// New makes the graph of a database. It sends no requests.
func New(db *schema.Database, engine *chunker.Engine) *Graph {
	x := &Graph{db: db, engine: engine}
	x.Pool = work.NewPool(work.Budget(), db.Config.Parallel, db.Config.Logger)
	x.arrays = batch.NewLimiter(db.Config.FullBytes(), 1)
	x.members = &batch.Group[string, string, Membership]{
		Run: x.commitMembers, Fits: fitsBatch, Timeout: schema.BatchTimeout, Pace: schema.MembersPace, Logger: db.Config.Logger,
	}
	return x
}

// Database returns the database of the graph.
func (x *Graph) Database() *schema.Database { return x.db }

// Engine returns the engine that runs the graph's jobs.
func (x *Graph) Engine() *chunker.Engine { return x.engine }
