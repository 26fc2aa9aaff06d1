// Package social connects the packages that work on one database. Functions, commands and tests make a System. Each
// package itself imports only packages below it.
package social

import (
	"context"
	"slices"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/accounts"
	"example.com/relationindex/chunker"
	"example.com/relationindex/followers"
	"example.com/relationindex/internal/logging"
	"example.com/relationindex/ranking"
	"example.com/relationindex/relations"
	"example.com/relationindex/schema"
	"example.com/relationindex/sending"
	"example.com/relationindex/tallies"
	"example.com/relationindex/timelines"
	"example.com/relationindex/timelines/layout"
)

// System is everything that keeps the derived documents of one database. It is safe for
// concurrent use. Make one for each process, so that its events share work.
type System struct {
	DB         *schema.Database
	Engine     *chunker.Engine
	Graph      *followers.Graph
	Relations  *relations.Delivery
	Timelines  *timelines.Delivery  // nil: none
	Ranking    *ranking.Ranking     // nil unless timelines are ranked
	Deliveries followers.Deliveries // Relations unless relations are off, Timelines, and the app's deliveries
	Accounts   *accounts.Lifecycle
	Tallies    *tallies.Tallies // does nothing without numbers and notifications
}

// Open makes the System of a database, with a job engine of its own. The caller keeps and closes the
// client. Open sends no requests. It returns the errors of [schema.Config.Validate].
func Open(client *firestore.Client, c Config) (*System, error) {
	return New(client, chunker.New(client, chunker.Options{Chunk: c.Chunk, Lease: c.Lease, Turns: schema.OwnerTurns, Logger: c.Logger}), c)
}

// New is [Open] with an engine, with which it registers the tasks.
func New(client *firestore.Client, engine *chunker.Engine, config Config) (*System, error) {
	db, err := schema.Open(client, config)
	if err != nil {
		return nil, err
	}
	engine.ReleaseBy(db.Unbraked)
	graph := followers.New(db, engine)
	engine.Register(followers.Damage())
	delivery := relations.New(graph)
	c := db.Config
	own := timelines.New(graph, timelines.Options{
		Layout: layout.New(c), Backfill: c.Backfill, KeepOnUnfollow: c.KeepOnUnfollow, Alone: !c.Relations(),
	})
	if !c.Relations() {
		keep(graph, delivery)
	} else {
		graph.Deliver(delivery)
	}
	if c.Timeline() == "" {
		keep(graph, own)
		own = nil
	} else {
		graph.Deliver(own)
	}
	if sent := sending.New(graph); sent.On() {
		graph.Deliver(sent)
	} else {
		engine.Register(sent.Tasks()[0]) // its jobs find out whether their delivery is off, or not deployed here yet
	}
	var ranked *ranking.Ranking
	if c.Ranked {
		ranked = ranking.New(graph, own)
		own.LiftBy(ranked.Lifts)
		engine.Register(ranked.Task())
	} else {
		engine.Register(ended(graph, ranking.New(graph, own).Task()))
	}
	tallied := tallies.New(graph)
	engine.Register(tallied.Task())
	return &System{
		Ranking: ranked, Tallies: tallied, DB: db, Engine: engine, Graph: graph, Relations: delivery, Timelines: own,
		Deliveries: graph.Deliveries(), Accounts: accounts.New(graph),
	}, nil
}

// keep adds a delivery that is off. Deletions of accounts still remove its documents, and its remaining jobs end without
// work. The exception is the job of index documents: timelines without relations still mend index documents.
func keep(graph *followers.Graph, off followers.Delivery) {
	graph.Keep(off)
	for _, task := range off.Tasks() {
		if task.Kind != schema.KindIndex {
			graph.Engine().Register(ended(graph, task))
		}
	}
}

// ended returns a task whose jobs end without work, in whatever phase they are. If other functions still have the
// delivery on, the work of such a job is lost: a warning says so.
func ended(graph *followers.Graph, task chunker.Task) chunker.Task {
	logger := graph.Database().Config.Logger
	end := func(ctx context.Context, job chunker.Job, _ *firestore.DocumentRef, _ int) (chunker.Page, error) {
		logger.WarnContext(ctx, "job ended without work: its feature is turned off in this function", logging.Job, job.ID, logging.Kind, job.Kind)
		return chunker.Page{}, nil
	}
	task.Phases = slices.Clone(task.Phases)
	for n := range task.Phases {
		task.Phases[n] = chunker.Phase{Name: "nothing", Page: end}
	}
	return task
}
