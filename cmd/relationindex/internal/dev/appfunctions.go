package dev

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"example.com/relationindex/internal/console"
)

// buildFunctions builds the program in the folder of --functions. The system then serves the functions of this program
// in place of ours. remove removes the built program.
func (d *dev) buildFunctions(ctx context.Context) (remove func(), err error) {
	remove = func() {}
	if d.functions == "" {
		return remove, nil
	}
	dir, err := os.MkdirTemp("", "relationindex-functions-")
	if err != nil {
		return remove, fmt.Errorf("--functions: %w", err)
	}
	remove = func() { _ = os.RemoveAll(dir) }
	program := filepath.Join(dir, "functions")
	progress := console.Start("building the functions in "+d.functions, 0)
	defer progress.End()
	build := exec.CommandContext(ctx, "go", "build", "-C", d.functions, "-o", program, ".") //nolint:gosec // the user chose the folder
	if out, err := build.CombinedOutput(); err != nil {
		return remove, fmt.Errorf("--functions %s: go build: %w\n%s", d.functions, err, strings.TrimSpace(string(out)))
	}
	d.Command = []string{program}
	return remove, nil
}
