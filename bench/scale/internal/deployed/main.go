// Command deployed is the buildpack's result for the package at the root: the functions, served by the
// framework, without the command line.
package main

import (
	"fmt"
	"os"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"

	_ "example.com/relationindex" // registers every function
)

func main() {
	if err := funcframework.StartHostPort("127.0.0.1", os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
