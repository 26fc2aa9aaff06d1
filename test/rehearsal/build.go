package rehearsal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"example.com/relationindex/internal/upload"
)

// These are names that the buildpack uses.
const (
	sourceDir  = "serverless_function_source_code"
	appModule  = "functions.local/app"
	outputName = "main"
)

const (
	frameworkModule    = "github.com/GoogleCloudPlatform/functions-framework-go"
	frameworkFunctions = frameworkModule + "/functions"
)

// mainFile is equivalent to the buildpack's file for a package that registers its functions itself, in
// fewer words.
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

// Options describes a build.
type Options struct {
	Root  string // root of the module
	Dir   string // a directory of the build's own, where the program is written
	Cache string // the build cache, GOCACHE; "": the user's
}

// Built is a program, with data about its build.
type Built struct {
	Program   string // its path
	Files     int    // files that would be uploaded
	Bytes     int64  // of those files
	Framework string // version of the functions framework
	// List, Tidy and Compile are the times of gcloud's list and the copy, of `go mod tidy`, and of `go
	// build`.
	List, Tidy, Compile time.Duration
	// CPU is the processor time of the go commands. On an idle machine, a build takes that time divided by
	// the machine's cores; on a busy one, longer.
	CPU time.Duration
}

// String returns a summary of the build in one line.
func (b Built) String() string {
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	return fmt.Sprintf("built %d files of %d KiB with functions framework %s: %v to list and copy, %v to tidy, %v to compile; %v of CPU",
		b.Files, b.Bytes>>10, b.Framework, round(b.List), round(b.Tidy), round(b.Compile), round(b.CPU))
}

// Build builds the functions of a module as the buildpack does. An error has the output of the failed
// step. You may call it again, with another directory.
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
	if !exists(source, "vendor") { // vendored modules are built as they are
		if _, err := b.run(ctx, o, source, "mod", "tidy"); err != nil {
			return b, err
		}
	}
	b.Tidy = lap()

	if _, err := b.run(ctx, o, source, "build", "-o", b.Program, filepath.Join(source, appModule)); err != nil {
		return b, err
	}
	b.Compile = lap()
	return b, os.RemoveAll(source) // production keeps only the program
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

// run runs go in dir, and returns the trimmed output. It ignores the user's flags and workspace: the
// buildpack has none.
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

// parsed has what the buildpack reads from the Go files of a directory.
type parsed struct {
	name    string
	imports map[string]bool
}

// parsePackage reads the package in dir. It includes test files, as the buildpack does: an external
// test at the root would be a second package.
func parsePackage(dir string) (parsed, error) {
	p := parsed{imports: map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return p, err
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return p, err
		}
		if p.name != "" && p.name != f.Name.Name {
			return p, fmt.Errorf("two packages in one folder: %s and %s", p.name, f.Name.Name)
		}
		p.name = f.Name.Name
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return p, err
			}
			p.imports[path] = true
		}
	}
	if p.name == "" {
		return p, errors.New("no Go files")
	}
	return p, nil
}
