package envfile

import (
	"os"
	"slices"
	"strings"

	"example.com/relationindex/schema"
)

// Load reads a configuration for the command line, from [Environment]. Its flags may still set the
// project: Load checks the values, but does not require a project.
func Load() (schema.Config, error) { return LoadIn(".") }

// LoadIn is [Load] with the file [EnvFile] of another directory.
func LoadIn(dir string) (schema.Config, error) {
	env, err := environmentIn(dir)
	if err != nil {
		return schema.Config{}, err
	}
	return env.LoadAnyProject()
}

// Variables returns the settings of c that are not zero, as NAME=value, in the order of the
// struct. A shell or a child process with these variables loads c again.
func Variables(c schema.Config) []string {
	var set []string
	for _, s := range c.Settings() {
		if s.Value != "" {
			set = append(set, s.Variable+"="+s.Value)
		}
	}
	return set
}

// Environ returns the environment of this process with the variables of c, for a child
// process that serves the functions. It leaves out FUNCTION_TARGET, which would limit the
// child to one function.
func Environ(c schema.Config) []string {
	ours := map[string]bool{"FUNCTION_TARGET": true}
	for _, s := range c.Settings() {
		ours[s.Variable] = true
	}
	others := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return ours[name]
	})
	return append(others, Variables(c)...)
}
