// Package rehearsal deploys on this machine: it builds the functions as Google's
// Go buildpack does, from what `gcloud functions deploy` would upload and from
// nothing else, and starts one process for each function as Cloud Run does. Its
// tests tell the stories of testkit/stories to those processes:
//
//	make rehearse
//
// # The build
//
// [Build] follows the builder of Cloud Functions in GoogleCloudPlatform/buildpacks
// step by step, as of commit a828255a of 2025 (cmd/go/functions_framework/lib,
// with its template for functions that register themselves) and 1e9df5d1
// (cmd/go/build/lib):
//
//  1. The upload is moved to a folder serverless_function_source_code.
//  2. The Go files at its root are parsed: they must be one package, and what they
//     import decides which main is generated. With functions-framework-go/functions
//     among them, it imports the package for its init; otherwise it names a Go
//     function of the package, which ours does not have: Build refuses that.
//  3. `go list -m` tells the module's path, whose first part must have a dot, and the
//     version of the framework, which go.mod requires.
//  4. main.go is written to functions.local/app below the source, a package of the
//     function's own module, and `go mod tidy` is run there. As our tests and
//     commands were not uploaded, that takes their modules out of go.mod and go.sum;
//     it adds none and changes no version.
//  5. `go build -o main` with no flags of its own, and the source is removed.
//
// What is not the same: the buildpack parses with a program that it compiles for
// that, and adds a framework to a go.mod that has none, where Build refuses.
// Google's image has the newest Go 1.26, here it is the one that is installed. The
// proxy for modules, which the buildpack sets to the public one,
// and the module cache are those of the environment. The build cache, which is
// empty there, is the user's, unless [Options.Cache] names another:
// BenchmarkBuild measures with an empty one.
//
// # The processes
//
// [Serve] starts the program with FUNCTION_TARGET, PORT and the variables that the
// plan of the deployment sets, in an empty folder and an environment that is empty
// otherwise. K_SERVICE, which Cloud Run sets, is left out: with it the functions
// refuse an emulator. The framework serves the one function at /, and listens on
// every interface, as it does in production.
//
// It is not for trying things out: that is `relationindex dev`.
package rehearsal
