package config

import (
	"os"
	"strings"
)

// Environment is what a process was given, by name.
type Environment map[string]string

// ProcessEnvironment is this process's.
func ProcessEnvironment() Environment { return EnvironmentOf(os.Environ()) }

// EnvironmentOf makes an Environment of NAME=value entries. The last of several with one name counts.
func EnvironmentOf(entries []string) Environment {
	env := Environment{}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return env
}
