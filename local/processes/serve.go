package processes

import (
	"context"
	"fmt"
	"strconv"

	"github.com/GoogleCloudPlatform/functions-framework-go/funcframework"

	"example.com/relationindex" // the production registrations
	"example.com/relationindex/internal/config"
	"example.com/relationindex/local/site"
)

// Serve serves the functions over HTTP on 127.0.0.1 until ctx ends, each at the path of its
// name, as production does. The environment configures them: see
// [schema.Config]. It prints a line for each function on standard output. On an
// emulator it also serves the functions of other projects: see [otherProjects].
//
// It returns an error at once for a wrong variable or a port that is taken.
// The functions framework cannot be stopped, so the process has to end then.
func Serve(ctx context.Context, port int) error {
	if port < 1 || port > 65535 {
		return fmt.Errorf("port %d: must be 1 to 65535", port)
	}
	cfg, err := config.LoadFunctions(relationindex.FirestoreIndexes)
	if err != nil {
		return err // now, and not at the first event
	}
	if cfg.EmulatorHost != "" { // otherwise, other projects could be real ones
		if err := funcframework.RegisterHTTPFunctionContext(ctx, site.ProjectsPath, newOtherProjects(cfg).ServeHTTP); err != nil {
			return fmt.Errorf("serve the functions of other projects: %w", err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- funcframework.StartHostPort(loopback, strconv.Itoa(port)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve functions at %s:%d: %w", loopback, port, err)
	case <-ctx.Done():
		return nil
	}
}

// ServeArgs is Serve with the arguments that [Start] adds to [Options.Command]. It is for programs that start a
// system, and have no command of their own that serves.
func ServeArgs(ctx context.Context, args []string) error {
	if len(args) != 2 || args[0] != "--port" {
		return fmt.Errorf("arguments %q: must be --port N", args)
	}
	port, err := strconv.Atoi(args[1])
	if err != nil {
		return fmt.Errorf("port %q: must be a number", args[1])
	}
	return Serve(ctx, port)
}
