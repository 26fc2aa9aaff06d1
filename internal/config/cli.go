// Package config reads the project's environment variables. No other package does.
package config

import (
	"os"
	"slices"
	"strings"
)

// LoadFunctions reads Functions from the environment of this process and checks them: see
// [Environment.Load].
func LoadFunctions(indexes []byte) (Functions, error) { return ProcessEnvironment().Load(indexes) }

// LoadCLI reads Functions for the command line, from [CommandEnvironment]. Its flags may still
// set the project: LoadCLI checks what it found, but does not require a project.
func LoadCLI() (Functions, error) {
	env, err := CommandEnvironment()
	if err != nil {
		return Functions{}, err
	}
	return env.LoadAnyProject()
}

// Variables returns the fields of f that are not zero, as NAME=value, in the order of the
// struct. A shell or a child process with these variables loads f again.
func (f Functions) Variables() []string {
	var set []string
	for _, s := range f.Settings() {
		if s.Value != "" {
			set = append(set, s.Variable+"="+s.Value)
		}
	}
	return set
}

// Environ returns the environment of this process with the variables of f, for a child
// process that serves the functions. It leaves out FUNCTION_TARGET, which would limit the
// child to one function.
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
