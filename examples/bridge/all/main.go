// Command all does for every user and post that is there already what the functions of the bridge do for new ones. Run it once
// after they are deployed; it may be run again.
//
//	go run ./all --project my-project
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/api/iterator"

	bridge "example.com/relationindex/examples/bridge"
)

func main() {
	log.SetFlags(0)
	project := flag.String("project", "", "the Google Cloud project; FIRESTORE_EMULATOR_HOST names an emulator")
	flag.Parse()
	if err := run(context.Background(), *project); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, project string) error {
	if project == "" {
		return errors.New("--project is missing: name the Google Cloud project")
	}
	db, err := firestore.NewClient(ctx, project)
	if err != nil {
		return err
	}
	defer db.Close()
	for _, part := range []struct {
		collection string
		do         func(context.Context, *firestore.Client, string) error
	}{{"users", bridge.User}, {"posts", bridge.Post}} {
		n, err := each(ctx, db, part.collection, part.do)
		if err != nil {
			return fmt.Errorf("%s, after %d: %w", part.collection, n, err)
		}
		log.Printf("%d %s", n, part.collection)
	}
	return nil
}

// each calls do for each document of a collection, some at once.
func each(ctx context.Context, db *firestore.Client, collection string, do func(context.Context, *firestore.Client, string) error) (n int, err error) {
	var failed atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(20)
	docs := db.Collection(collection).Select().Documents(ctx)
	defer docs.Stop()
	for {
		doc, err := docs.Next()
		if errors.Is(err, iterator.Done) {
			err := group.Wait()
			if failed.Load() > 0 {
				err = errors.Join(err, fmt.Errorf("%d failed", failed.Load()))
			}
			return n, err
		}
		if err != nil {
			return n, errors.Join(err, group.Wait())
		}
		n++
		group.Go(func() error {
			if err := do(ctx, db, doc.Ref.ID); err != nil && ctx.Err() == nil {
				log.Printf("%s/%s: %v", collection, doc.Ref.ID, err) // the others go on
				failed.Add(1)
			}
			return ctx.Err()
		})
	}
}
