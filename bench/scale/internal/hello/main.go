// Command hello is the least that the functions framework serves: what the
// start of the functions is compared with.
package main

import (
	"fmt"
	"net/http"
	"os"

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
