// Command linked is hello with an unused Firestore client linked in: the smallest function with a
// database.
package main

import (
	"fmt"
	"net/http"
	"os"

	_ "cloud.google.com/go/firestore" // only for its size
	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
	"github.com/GoogleCloudPlatform/functions-framework-go/functions"
)

func init() {
	functions.HTTP("Hello", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, "hello") })
}

func main() {
	if err := funcframework.StartHostPort("127.0.0.1", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
