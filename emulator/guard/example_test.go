package guard_test

import (
	"context"
	"fmt"
	"log"

	"cloud.google.com/go/firestore"
	"google.golang.org/grpc/status"

	"example.com/relationindex/emulator/guard"
)

// A test of a program finds here the index that it forgot. Usually the text is
// that of the deployed firestore.indexes.json.
func Example() {
	ctx := context.Background()
	e, err := started() // emulator.Start
	if err != nil {
		log.Fatal(err) // says how to get the emulator
	}
	g, err := guard.Parse([]byte(`{"indexes": []}`))
	if err != nil {
		log.Fatal(err)
	}
	connection, err := g.Connect(e.FirestoreHost())
	if err != nil {
		log.Fatal(err)
	}
	client, err := firestore.NewClient(ctx, "demo-example", connection)
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Collection("posts").Where("userId", "==", "ada").OrderBy("createdAt", firestore.Desc).Documents(ctx).GetAll()
	fmt.Println(status.Code(err))
	fmt.Println(status.Convert(err).Message())

	for _, end := range []func() error{client.Close, g.Close} {
		if err := end(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// FailedPrecondition
	// posts where userId == ? order by createdAt desc: the query requires an index that firestore.indexes.json does not have: add to its "indexes": {"collectionGroup":"posts","queryScope":"COLLECTION","fields":[{"fieldPath":"userId","order":"ASCENDING"},{"fieldPath":"createdAt","order":"DESCENDING"}]}
}
