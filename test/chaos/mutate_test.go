//go:build long

package chaos

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// edit replaces a text that is in a file of the module exactly once. In the new text MUTANT is a
// condition: whether this mutant is on. either(MUTANT, a, b) is a or else b; both are computed.
//
// So all mutants are in one program, which is built once, and a process has the one that its
// environment names. Without a name, it does what the code does.
type edit struct{ file, old, new string }

// mutantIs is the variable that names the mutant. It is none of ours, which functions know: they refuse others.
const mutantIs = "CHAOS_MUTANT"

// switches is in each package that is edited.
const switches = `package %s

import "os"

func mutant(name string) bool { return os.Getenv("` + mutantIs + `") == name }

func either[T any](mutant bool, a, b T) T {
	if mutant {
		return a
	}
	return b
}
`

const root = "../.."

// folder is where the programs are; TestMain removes it.
var folder string

// programs builds the program of chaos, and those of the tests that find mutants, with all mutants.
var programs = sync.OnceValue(func() error {
	all, tests := map[string][]edit{}, map[string]bool{}
	for name, m := range mutants {
		if all[name] = m.edits; m.test != "" {
			tests["./"+m.pkg] = true
		}
	}
	list, err := overlay(all)
	if err != nil {
		return err
	}
	build := []string{"build", "-ldflags=-s -w", "-overlay", list, "-o", folder, "./bench/chaos"}
	compile := []string{"test", "-tags=long", "-vet=off", "-c", "-overlay", list, "-o", folder}
	for pkg := range tests {
		compile = append(compile, pkg)
	}
	for _, args := range [][]string{build, compile} {
		cmd := exec.Command("go", args...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
})

// with returns the command that starts a program of [programs] with one mutant on; "": none.
func with(t *testing.T, name, program string, args ...string) []string {
	t.Helper()
	if err := programs(); err != nil {
		t.Fatal(err)
	}
	return append([]string{"env", mutantIs + "=" + name, filepath.Join(folder, program)}, args...)
}

// command is a command until the test ends.
func command(t *testing.T, args []string) *exec.Cmd {
	t.Helper()
	return exec.CommandContext(t.Context(), args[0], args[1:]...)
}

// overlay writes edited copies of files, and what tells the go command to take them for the files.
func overlay(all map[string][]edit) (list string, err error) {
	texts := map[string][]byte{} // by file
	for name, edits := range all {
		for _, e := range edits {
			file := filepath.Join(root, e.file)
			if texts[file] == nil {
				if texts[file], err = os.ReadFile(file); err != nil {
					return "", err
				}
			}
			if n := bytes.Count(texts[file], []byte(e.old)); n != 1 {
				return "", fmt.Errorf("%s has this %d times, want once:\n%s", e.file, n, e.old)
			}
			is := fmt.Appendf(nil, "mutant(%q)", name)
			texts[file] = bytes.Replace(texts[file], []byte(e.old), bytes.ReplaceAll([]byte(e.new), []byte("MUTANT"), is), 1)
		}
	}
	for file, text := range maps.Clone(texts) {
		clause, err := parser.ParseFile(token.NewFileSet(), file, text, parser.PackageClauseOnly)
		if err != nil {
			return "", err
		}
		texts[filepath.Join(filepath.Dir(file), "switches_of_mutants.go")] = fmt.Appendf(nil, switches, clause.Name)
	}
	replace := map[string]string{}
	for file, text := range texts {
		if file, err = filepath.Abs(file); err != nil {
			return "", err
		}
		replace[file] = filepath.Join(folder, fmt.Sprintf("%d.go", len(replace)))
		if err := os.WriteFile(replace[file], text, 0o600); err != nil {
			return "", err
		}
	}
	content, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list = filepath.Join(folder, "overlay.json")
	return list, os.WriteFile(list, content, 0o600)
}
