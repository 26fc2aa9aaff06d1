// Package envfile reads a configuration for commands: from the environment, and a file of variables.
package envfile

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.com/relationindex/internal/config"
	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// EnvFile is the file with variables that commands, dev and deploy read from the working directory, if it
// exists. It is meant to be committed.
const EnvFile = "relationindex.env"

// maxEnvFile is the most bytes of the file: some hundred times the size of all variables.
const maxEnvFile = 64 << 10

// Environment returns the environment of this process, completed by the variables of a file: [EnvFile],
// or the file that RELATIONINDEX_ENV names. If that is set and empty, no file is read. A variable that the process has set, even to an empty value, hides
// the file's variable. Deployed functions read no file.
func Environment() (config.Environment, error) { return environmentIn(".") }

// environmentIn is [Environment] with the file of another directory, unless RELATIONINDEX_ENV names one.
func environmentIn(dir string) (config.Environment, error) {
	env := config.ProcessEnvironment()
	name, named := env[config.FileVariable]
	if !named {
		name = filepath.Join(dir, EnvFile)
	}
	if name == "" {
		return env, nil
	}
	file, err := os.Open(name) //nolint:gosec // the operator names it
	if errors.Is(err, fs.ErrNotExist) && !named {
		return env, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", config.FileVariable, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEnvFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return env, over(env, name, text)
}

// over adds the file's variables that env has not set. An empty value in env counts as set.
func over(env config.Environment, name string, text []byte) error {
	file, err := ParseFile(name, text)
	for variable, value := range file {
		if _, set := env[variable]; !set {
			env[variable] = value
		}
	}
	return err
}

// LoadOver reads a configuration like [Load], with the text of a file in place of [EnvFile].
func LoadOver(name string, text []byte) (schema.Config, error) {
	env := config.ProcessEnvironment()
	if err := over(env, name, text); err != nil {
		return schema.Config{}, err
	}
	return env.LoadAnyProject()
}

// ParseFile parses the text of a file of variables. Its lines are NAME=value, empty, or comments, which begin
// with #. A value is the text after = up to the end of the line, without surrounding space. Values are not
// quoted. The error joins one error for each wrong line. It shows no value, because a value may be a secret.
func ParseFile(name string, text []byte) (config.Environment, error) {
	if len(text) > maxEnvFile {
		return nil, fmt.Errorf("%s: has more than %d KiB", name, maxEnvFile>>10)
	}
	env, errs := config.Environment{}, []error(nil)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, maxEnvFile+1)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		variable, value, found := strings.Cut(line, "=")
		variable, value = strings.TrimSpace(variable), strings.TrimSpace(value)
		_, twice := env[variable]
		switch wrong := mayBeInFile(variable); {
		case !found || strings.ContainsAny(variable, " \t"):
			errs = append(errs, fmt.Errorf("%s:%d: must be NAME=value, or a comment that begins with #", name, n))
		case wrong != "":
			errs = append(errs, fmt.Errorf("%s:%d: %q: %s", name, n, variable, wrong))
		case twice:
			errs = append(errs, fmt.Errorf("%s:%d: %s is set twice: remove one of the lines", name, n, variable))
		case strings.ContainsAny(value, "\"'`$\\"), strings.Contains(value, " #"):
			errs = append(errs, fmt.Errorf("%s:%d: %s: values are read literally: remove quotes, $, \\ and any comment after the value", name, n, variable))
		default:
			env[variable] = value
		}
	}
	if len(errs) == 0 && lines.Err() != nil {
		errs = append(errs, fmt.Errorf("%s: %w", name, lines.Err()))
	}
	return env, errors.Join(errs...)
}

// mayBeInFile returns the reason why a variable may not be in a committed file; "" if it may.
func mayBeInFile(variable string) string {
	all := schema.Config{}.Settings()
	i := slices.IndexFunc(all, func(s settings.Setting) bool { return s.Variable == variable })
	switch {
	case i < 0:
		return "no such variable" + config.Suggestion(variable)
	case all[i].Secret:
		return "is a secret: keep it in Secret Manager, and set it in the shell"
	case all[i].Stored == config.Unstored && variable != "RELATIONINDEX_DATABASE":
		return "says which system is meant: set it in the shell"
	default:
		return ""
	}
}
