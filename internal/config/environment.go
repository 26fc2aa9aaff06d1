package config

import (
	"bufio"
	"fmt"
	"io"
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

// ReadEnvironment reads a file of NAME=value lines. Empty lines and those that
// begin with # are skipped, export before a name and one pair of quotes around a
// value too, and a byte order mark. The error names the line.
func ReadEnvironment(r io.Reader) (Environment, error) {
	env := Environment{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text := lines.Text()
		if n == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		line := strings.TrimSpace(text)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "export "), "=")
		if name = strings.TrimSpace(name); !ok || !isName(name) {
			return nil, fmt.Errorf("line %d: %q: must be NAME=value", n, line)
		}
		if value = strings.TrimSpace(value); len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[0] == value[len(value)-1] {
			value = value[1 : len(value)-1]
		}
		env[name] = value
	}
	return env, lines.Err()
}
