package bulk_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
	"example.com/relationindex/local"
	"example.com/relationindex/testkit"
)

// connect is a client of an empty database.
func connect(ctx context.Context, project string) *firestore.Client {
	m, err := testkit.Start()
	if err != nil {
		log.Fatal(err)
	}
	client, err := local.Open(ctx, project, m.Emulator.FirestoreHost())
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// open is a client of a database with a few books.
func open(ctx context.Context, project string) *firestore.Client {
	client := connect(ctx, project)
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

func ExampleUpdate() {
	ctx := context.Background()
	client := open(ctx, "demo-example-update")
	engine := chunker.New(client, chunker.Options{})
	engine.Register(bulk.Update("shout", 8,
		func(job chunker.Job) (firestore.Query, error) { return bulk.Query(client, job) },
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

func ExampleDelete() {
	ctx := context.Background()
	client := open(ctx, "demo-example-delete")
	engine := chunker.New(client, chunker.Options{})
	engine.Register(bulk.Delete("clear", 8, func(job chunker.Job) (firestore.Query, error) {
		q, err := bulk.Query(client, job)
		return q.Select(), err // names are enough
	}))
	err := engine.Enqueue(ctx, chunker.Spec{ID: "clear", Kind: "clear", Collection: "books"})
	if err != nil {
		log.Fatal(err)
	}
	job := deliver(ctx, engine, "clear")
	fmt.Println(job.State, job.Done)
	// Output: done 5
}
