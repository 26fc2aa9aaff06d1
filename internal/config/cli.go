// Package config reads the environment. Nothing else in the project does.
package config

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/sethvargo/go-envconfig"
)

// LoadCLI reads Functions for the command line, where flags may still give the
// project. It checks what it found, but not that there is a project.
func LoadCLI(ctx context.Context) (Functions, error) {
	var f Functions
	if err := envconfig.Process(ctx, &f); err != nil {
		return Functions{}, fmt.Errorf("environment: %w", err)
	}
	checked := f
	if checked.Project == "" {
		checked.Project = "to come"
	}
	return f, checked.Validate()
}

// Variables is f as NAME=value, for the variables that f does not leave at
// their defaults, in the order of the struct. A shell or a child process that
// sets them loads f again.
func (f Functions) Variables() []string {
	var set []string
	for _, v := range f.variables() {
		if v.value != "" {
			set = append(set, v.name+"="+v.value)
		}
	}
	return set
}

// Environ is the environment of this process with f in place of what it says
// of f, for a child that serves the functions. FUNCTION_TARGET goes: it would
// leave the child with one function.
func (f Functions) Environ() []string {
	ours := map[string]bool{"FUNCTION_TARGET": true}
	for _, v := range f.variables() {
		ours[v.name] = true
	}
	others := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return ours[name]
	})
	return append(others, f.Variables()...)
}

type variable struct{ name, value string }

// variables are all of f's, as their env tags name them. An empty value is the
// default.
func (f Functions) variables() []variable {
	var all []variable
	value := reflect.ValueOf(f)
	for _, field := range reflect.VisibleFields(value.Type()) {
		name, _, _ := strings.Cut(field.Tag.Get("env"), ",")
		all = append(all, variable{name, text(value.FieldByIndex(field.Index).Interface())})
	}
	return all
}

// text is a value as a variable holds it; "" for the zero value, which is the default.
func text(value any) string {
	if reflect.ValueOf(value).IsZero() {
		return ""
	}
	if list, ok := value.([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(value)
}
