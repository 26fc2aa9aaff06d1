// Package config reads the project's environment variables. No other package does, but internal/envfile, for commands.
package config

import (
	"os"
	"strings"
)

//go:generate go test -run ^Test(ThePageIs|FeedOnlyRulesAre)Current$ -update .

// Environment is the environment of a process, by variable name.
type Environment map[string]string

// ProcessEnvironment returns the Environment of this process.
func ProcessEnvironment() Environment { return EnvironmentOf(os.Environ()) }

// EnvironmentOf makes an Environment from NAME=value entries. The last
// entry of a name counts.
func EnvironmentOf(entries []string) Environment {
	env := Environment{}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, "=")
		env[name] = value
	}
	return env
}
