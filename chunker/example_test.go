package chunker_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
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
		if err := engine.Run(ctx, id, job.Hop, budget); err != nil {
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
		Page: chunker.Walk(8,
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

func ExampleBulkUpdate() {
	ctx := context.Background()
	client := open("demo-example-update")
	engine := chunker.New(client, chunker.Options{})
	engine.Register(chunker.BulkUpdate("shout", 8,
		func(job chunker.Job) (firestore.Query, error) { return job.Query(client) },
		func(_ context.Context, _ chunker.Job, doc *firestore.DocumentSnapshot) ([]firestore.Update, error) {
			title := doc.Data()["title"].(string)
			if title == strings.ToUpper(title) {
				return nil, nil // done already: a page may come twice
			}
			return []firestore.Update{{Path: "title", Value: strings.ToUpper(title)}}, nil
		}))
	err := engine.Enqueue(ctx, chunker.Spec{ID: "shout", Kind: "shout", Collection: "books", Field: "title", Value: "Emma"})
	if err != nil {
		log.Fatal(err)
	}
	job := deliver(ctx, engine, "shout")
	doc, err := client.Doc("books/Emma").Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %d of %d: %v\n", job.State, job.Done, *job.Total, doc.Data()["title"])
	// Output: done, 1 of 1: EMMA
}

// Lanes walk ranges of document ids at once; their parent shows the sum.
func ExampleBulkDelete() {
	ctx := context.Background()
	client := open("demo-example-delete")
	engine := chunker.New(client, chunker.Options{})
	engine.Register(chunker.BulkDelete("clear", 8, func(job chunker.Job) (firestore.Query, error) {
		q, err := job.Query(client)
		return q.Select(), err // names are enough
	}))
	err := engine.Enqueue(ctx, chunker.Spec{ID: "clear", Kind: "clear", Collection: "books", Splits: []string{"F"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, lane := range []string{"clear~00", "clear~01"} { // each has its own events
		job := deliver(ctx, engine, lane)
		fmt.Println(lane, job.State, job.Done)
	}
	parent, err := engine.Get(ctx, "clear")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("clear", parent.State, parent.Done)
	// Output:
	// clear~00 done 2
	// clear~01 done 3
	// clear done 5
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
