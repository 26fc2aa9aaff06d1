package chunker_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"cloud.google.com/go/firestore"

	"example.com/relationindex/chunker"
	"example.com/relationindex/chunker/bulk"
)

// A task that updates the documents of a collection.
func Example_update() {
	ctx := context.Background()
	client := open("demo-example-update")
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

// A task that deletes the documents of a collection.
func Example_delete() {
	ctx := context.Background()
	client := open("demo-example-delete")
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
