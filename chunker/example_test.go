package chunker_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
)

// open is a client of an empty database with a few books.
func open(project string) *firestore.Client {
	ctx := context.Background()
	client, err := connect(ctx, project)
	if err != nil {
		log.Fatal(err)
	}
	for _, title := range []string{"Emma", "Evelina", "Lodore", "Persuasion", "Shirley"} {
		if _, err := client.Doc("books/"+title).Set(ctx, map[string]any{"title": title}); err != nil {
			log.Fatal(err)
		}
	}
	return client
}

// deliver does what the trigger on the job documents does: it runs a step for
// each write that queues the job.
func deliver(ctx context.Context, engine *chunker.Engine, id string) chunker.Job {
	for {
		job, err := engine.Get(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		if job.State.Finished() {
			return job
		}
		budget := chunker.NewBudget(ctx, time.Now(), 9*time.Minute, 10*time.Second, nil)
		if err := engine.Run(ctx, id, budget); err != nil {
			log.Fatal(err)
		}
	}
}

// A task of one's own: a walk over a collection.
func Example() {
	ctx := context.Background()
	client := open("demo-example-engine")
	engine := chunker.New(client, chunker.Options{Chunk: 2})
	engine.Register(chunker.Task{Kind: "shelve", Phases: []chunker.Phase{{
		Name: "books",
		Page: bulk.Walk(8,
			func(chunker.Job) (firestore.Query, error) { return client.Collection("books").Query, nil },
			func(ctx context.Context, job chunker.Job, doc *firestore.DocumentSnapshot) error {
				_, err := client.Doc("shelf/"+doc.Ref.ID).Set(ctx, map[string]any{"room": job.Args["room"]})
				return err
			}),
	}}})

	// In the handler of whatever asks for it. Twice is once.
	spec := chunker.Spec{ID: "shelve", Kind: "shelve", Args: map[string]string{"room": "3"}, Generation: "1"}
	for range 2 {
		if err := engine.Enqueue(ctx, spec); err != nil {
			log.Fatal(err)
		}
	}
	// In the function that the writes of job documents trigger.
	job := deliver(ctx, engine, "shelve")
	fmt.Println(job.State, job.Done)
	// Output: done 5
}

// Sweep, once a minute, wakes jobs whose event was lost or whose step died.
func ExampleEngine_Sweep() {
	ctx := context.Background()
	client := open("demo-example-sweep")
	later := func() time.Time { return time.Now().Add(time.Minute) }
	engine := chunker.New(client, chunker.Options{Now: later})
	enqueued := chunker.New(client, chunker.Options{}) // a minute ago
	if err := enqueued.Enqueue(ctx, chunker.Spec{ID: "lost", Kind: "any"}); err != nil {
		log.Fatal(err)
	}
	swept, err := engine.Sweep(ctx, chunker.NewBudget(ctx, later(), time.Minute, 0, later))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d due, %d woken\n", swept.Due, swept.Woken)
	// Output: 1 due, 1 woken
}

func ExampleBudget() {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return start.Add(8 * time.Minute) }
	budget := chunker.NewBudget(context.Background(), start, 9*time.Minute, 10*time.Second, clock)
	fmt.Println(budget.Left(), budget.Covers(20*time.Second), budget.Covers(30*time.Second))
	// Output: 50s true false
}
