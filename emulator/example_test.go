package emulator_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"example.com/relationindex/emulator"
)

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	e, err := started() // emulator.Start(ctx, emulator.Options{}); the program ends with e.Close()
	if err != nil {
		log.Fatal(err) // says how to get the emulator
	}

	// A function. It fails the first time; the broker delivers the event again.
	attempts := 0
	function := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		attempts++
		if attempts == 1 {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		fmt.Println(r.Header.Get("ce-type"), r.Header.Get("ce-subject"))
	}))
	defer function.Close()

	if err := e.Broker().Register(ctx, "demo-example", emulator.Trigger{
		Name:      "onUser",
		EventType: "google.cloud.firestore.document.v1.created",
		Document:  "users/{userId}",
		URL:       function.URL,
	}); err != nil {
		log.Fatal(err)
	}

	// A client. Usually it is Firestore's own, with FIRESTORE_EMULATOR_HOST set to e.FirestoreHost().
	users := "http://" + e.FirestoreHost() + "/v1/projects/demo-example/databases/(default)/documents/users?documentId=ada"
	resp, err := http.DefaultClient.Post(users, "application/json", strings.NewReader(`{"fields":{"name":{"stringValue":"Ada"}}}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()

	if err := e.Broker().Idle(ctx, "demo-example"); err != nil {
		log.Fatal(err)
	}
	fmt.Println("attempts:", attempts)
	// Output:
	// google.cloud.firestore.document.v1.created documents/users/ada
	// attempts: 2
}
