// Package config reads the environment: all of ours, which nothing else in the project does.
package config

import (
	"os"
	"slices"
	"strings"
)

// LoadFunctions reads Functions from the environment of this process, and
// checks it: see [Environment.Load].
func LoadFunctions(indexes []byte) (Functions, error) { return ProcessEnvironment().Load(indexes) }

// LoadCLI reads Functions for the command line, where flags may still give the
// project. It checks what it found, but not that there is a project.
func LoadCLI() (Functions, error) { return ProcessEnvironment().LoadAnyProject() }

// Variables is f as NAME=value, for the variables that f does not leave at
// their defaults, in the order of the struct. A shell or a child process that
// sets them loads f again.
func (f Functions) Variables() []string {
	var set []string
	for _, s := range f.Settings() {
		if s.Value != "" {
			set = append(set, s.Variable+"="+s.Value)
		}
	}
	return set
}

// Environ is the environment of this process with f in place of what it says
// of f, for a child that serves the functions. FUNCTION_TARGET goes: it would
// leave the child with one function.
func (f Functions) Environ() []string {
	ours := map[string]bool{"FUNCTION_TARGET": true}
	for _, s := range f.Settings() {
		ours[s.Variable] = true
	}
	others := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return ours[name]
	})
	return append(others, f.Variables()...)
}
