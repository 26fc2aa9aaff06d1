// Package rehearsal deploys on this machine. It builds the functions as Google's Go buildpack does,
// only from the files that `gcloud functions deploy` would upload. Then it starts one process for each
// function, as Cloud Run does. Its tests run stories of testkit/stories on these processes,
// and build emulator/README.md's example as another project does:
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
//  2. The Go files at its root are parsed. They must be one package. Their imports decide which
//     main is generated. If they import functions-framework-go/functions, main imports the package
//     for its init. Otherwise main calls a Go function of the package. Our package has none, so
//     Build rejects that case.
//  3. `go list -m` prints the module's path, whose first part must have a dot, and the version of
//     the framework, which go.mod must require.
//  4. main.go is written to functions.local/app below the source, a package of the function's own
//     module. `go mod tidy` runs there. Our tests and commands were not uploaded, so it removes
//     their modules from go.mod and go.sum. It adds no module and changes no version.
//  5. `go build -o main` runs without flags of its own, and the source is removed.
//
// Some things differ. The buildpack compiles a program to parse the files. It adds a framework to a
// go.mod without one, and Build rejects such a go.mod. Google's image has the newest Go 1.26; here it
// is the installed one. The module cache and the proxy for modules are those of the environment; the
// buildpack sets the public proxy. The build cache is the user's, unless [Options.Cache] names
// another. In the buildpack it is empty: BenchmarkBuild measures with an empty one.
//
// # The processes
//
// [Serve] starts the program with FUNCTION_TARGET, PORT and the variables that the deployment plan
// sets, in an empty directory. The environment has nothing else. K_SERVICE, which Cloud Run sets, is
// left out, because with it the functions reject an emulator. The framework serves the one function at
// /, and listens on every interface, as in production.
//
// Use `relationindex dev` to try things out.
package rehearsal
