// Command all does the work of the bridge's functions for every user and post that exists already. Run it once after the functions
// are deployed; you may run it again.
//
//	go run ./all --project my-project
//
// With --watch it goes on with documents that are written meanwhile, like the functions: to try them on an emulator.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"sync/atomic"

	"cloud.google.com/go/firestore"
	"golang.org/x/sync/errgroup"
	"google.golang.org/api/iterator"

	bridge "example.com/relationindex/examples/bridge"
)

func main() {
	log.SetFlags(0)
	project := flag.String("project", "", "the Google Cloud project; FIRESTORE_EMULATOR_HOST names an emulator")
	watching := flag.Bool("watch", false, "go on with what is written from now on, until it is interrupted")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *project, *watching); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, project string, watching bool) error {
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
	if !watching {
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return watch(ctx, db, "users", bridge.User) })
	group.Go(func() error { return watch(ctx, db, "posts", bridge.Post) })
	return group.Wait()
}

// watch calls do for each written document of a collection, until ctx ends.
func watch(ctx context.Context, db *firestore.Client, collection string, do func(context.Context, *firestore.Client, string) error) error {
	snapshots := db.Collection(collection).Snapshots(ctx)
	defer snapshots.Stop()
	for {
		snapshot, err := snapshots.Next()
		if ctx.Err() != nil {
			return nil //nolint:nilerr // it was asked to end
		}
		if err != nil {
			return fmt.Errorf("watch %s: %w", collection, err)
		}
		for _, change := range snapshot.Changes {
			if err := do(ctx, db, change.Doc.Ref.ID); err != nil {
				log.Printf("%s/%s: %v", collection, change.Doc.Ref.ID, err)
			}
		}
	}
}

// each calls do for each document of a collection, for several at once.
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
