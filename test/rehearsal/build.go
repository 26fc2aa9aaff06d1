package rehearsal

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"example.com/relationindex/internal/upload"
)

// The names that the buildpack gives.
const (
	sourceDir  = "serverless_function_source_code"
	appModule  = "functions.local/app"
	outputName = "main"
)

const (
	frameworkModule    = "github.com/GoogleCloudPlatform/functions-framework-go"
	frameworkFunctions = frameworkModule + "/functions"
)

// mainFile is what the buildpack generates for a package that registers its
// functions itself: what it does, in fewer words.
var mainFile = template.Must(template.New("main.go").Parse(`package main

import (
	"log"
	"net/http"
	"os"

	_ "{{.}}"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"
)

func main() {
	http.HandleFunc("/robots.txt", http.NotFound)
	http.HandleFunc("/favicon.ico", http.NotFound)
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	if err := funcframework.Start(port); err != nil {
		log.Fatalf("Function failed to start: %v\n", err)
	}
}
`))

// Options say what to build, and where.
type Options struct {
	Root  string // of the module
	Dir   string // a folder of the build's own, where the program will be
	Cache string // the build cache, GOCACHE; "" is the user's
}

// Built is a program, and how it came about.
type Built struct {
	Program   string // its path
	Files     int    // that would be uploaded
	Bytes     int64  // of those files
	Framework string // version of the functions framework
	// What took how long: gcloud's list and the copy, `go mod tidy`, `go build`.
	List, Tidy, Compile time.Duration
	// CPU is what the go commands have used of the processors: on an idle machine, a
	// build takes that divided by its cores, on another longer.
	CPU time.Duration
}

// String is one line of what a build tells.
func (b Built) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	return fmt.Sprintf("built %d files of %d KiB with functions framework %s: %v to list and copy, %v to tidy, %v to compile; %v of CPU",
		b.Files, b.Bytes>>10, b.Framework, round(b.List), round(b.Tidy), round(b.Compile), round(b.CPU))
}

// Build builds the functions of a module as the buildpack does. The error has what
// the step that failed has printed. It may be called again, with another folder.
func Build(ctx context.Context, o Options) (Built, error) {
	b := Built{Program: filepath.Join(o.Dir, outputName)}
	source := filepath.Join(o.Dir, sourceDir)
	started := time.Now()
	lap := func() time.Duration {
		took := time.Since(started)
		started = started.Add(took)
		return took
	}

	files, err := upload.List(ctx, o.Root)
	if err != nil {
		return b, err
	}
	b.Files = len(files)
	if b.Bytes, err = upload.Copy(o.Root, files, source); err != nil {
		return b, fmt.Errorf("copy the upload: %w", err)
	}
	b.List = lap()

	if err := b.generate(ctx, o, source); err != nil {
		return b, err
	}
	if !exists(source, "vendor") { // what is vendored is built as it is
		if _, err := b.run(ctx, o, source, "mod", "tidy"); err != nil {
			return b, err
		}
	}
	b.Tidy = lap()

	if _, err := b.run(ctx, o, source, "build", "-o", b.Program, filepath.Join(source, appModule)); err != nil {
		return b, err
	}
	b.Compile = lap()
	return b, os.RemoveAll(source) // production keeps the program alone
}

func exists(path ...string) bool {
	_, err := os.Stat(filepath.Join(path...))
	return err == nil
}

// generate writes the main package, for the package at the root of source.
func (b *Built) generate(ctx context.Context, o Options, source string) error {
	root, err := parsePackage(source)
	if err != nil {
		return fmt.Errorf("the package at the root: %w", err)
	}
	module, err := b.run(ctx, o, source, "list", "-m")
	if err != nil {
		return err
	}
	if first, _, _ := strings.Cut(module, "/"); !strings.Contains(first, ".") {
		return fmt.Errorf("module %s: the first part of its path must have a dot", module)
	}
	if b.Framework, err = b.run(ctx, o, source, "list", "-m", "-f", "{{.Version}}", frameworkModule); err != nil {
		return fmt.Errorf("go.mod must require the functions framework: %w", err)
	}
	if exists(source, "vendor") && !exists(source, "vendor", frameworkModule, "funcframework") {
		return fmt.Errorf("the folder vendor must have %s/funcframework, which the generated main imports", frameworkModule)
	}
	if !root.imports[frameworkFunctions] {
		return fmt.Errorf("package %s must import %s: otherwise the buildpack generates a main that calls %[1]s.X for --entry-point=X, and %[1]s has no such function",
			root.name, frameworkFunctions)
	}
	var text bytes.Buffer
	if err := mainFile.Execute(&text, module); err != nil {
		return err
	}
	app := filepath.Join(source, appModule)
	if err := os.MkdirAll(app, 0o750); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(app, "main.go"), text.Bytes(), 0o600)
}

// run runs go in dir and returns what it prints, trimmed. The user's flags and
// workspace do not count: the buildpack has none.
func (b *Built) run(ctx context.Context, o Options, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // the steps above
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOFLAGS=", "GOWORK=off")
	if o.Cache != "" {
		cmd.Env = append(cmd.Env, "GOCACHE="+o.Cache)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if state := cmd.ProcessState; state != nil {
		b.CPU += state.UserTime() + state.SystemTime()
	}
	if err != nil {
		return "", fmt.Errorf("go %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}
