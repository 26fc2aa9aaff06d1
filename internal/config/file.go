package config

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

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// EnvFile is the file with variables that commands, dev and deploy read from the working directory, if it
// exists. It is meant to be committed.
const EnvFile = "relationindex.env"

// fileVariable names another file. If it is set and empty, no file is read.
const fileVariable = ourPrefix + "ENV"

// maxEnvFile is the most bytes of the file: some hundred times the size of all variables.
const maxEnvFile = 64 << 10

// CommandEnvironment returns the environment of this process, completed by the variables of a file: [EnvFile],
// or the file that RELATIONINDEX_ENV names. A variable that the process has set, even to an empty value, hides
// the file's variable. Deployed functions read no file.
func CommandEnvironment() (Environment, error) { return environmentIn(".") }

// environmentIn is [CommandEnvironment] with the file of another directory, unless RELATIONINDEX_ENV names one.
func environmentIn(dir string) (Environment, error) {
	env := ProcessEnvironment()
	name, named := env[fileVariable]
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
		return nil, fmt.Errorf("%s: %w", fileVariable, err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxEnvFile+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return env, env.over(name, text)
}

// over adds the file's variables that env has not set. An empty value in env counts as set.
func (env Environment) over(name string, text []byte) error {
	file, err := ParseFile(name, text)
	for variable, value := range file {
		if _, set := env[variable]; !set {
			env[variable] = value
		}
	}
	return err
}

// LoadOver reads a configuration like [LoadCLI], with the text of a file in place of [EnvFile].
func LoadOver(name string, text []byte) (schema.Config, error) {
	env := ProcessEnvironment()
	if err := env.over(name, text); err != nil {
		return schema.Config{}, err
	}
	return env.LoadAnyProject()
}

// ParseFile parses the text of a file of variables. Its lines are NAME=value, empty, or comments, which begin
// with #. A value is the text after = up to the end of the line, without surrounding space. Values are not
// quoted. The error joins one error for each wrong line. It shows no value, because a value may be a secret.
func ParseFile(name string, text []byte) (Environment, error) {
	if len(text) > maxEnvFile {
		return nil, fmt.Errorf("%s: has more than %d KiB", name, maxEnvFile>>10)
	}
	env, errs := Environment{}, []error(nil)
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
		return "no such variable" + suggestion(variable)
	case all[i].Secret:
		return "is a secret: keep it in Secret Manager, and set it in the shell"
	case all[i].Stored == Unstored && variable != "RELATIONINDEX_DATABASE":
		return "says which system is meant: set it in the shell"
	default:
		return ""
	}
}

// suggestion returns " (do you mean …?)" with the variable most similar to name; "" if none is similar.
func suggestion(name string) string {
	all := schema.Config{}.Settings()
	variables := make([]string, len(all))
	for i, s := range all {
		variables[i] = s.Variable
	}
	best := Nearest(name, variables...)
	if best == "" {
		return ""
	}
	return " (do you mean " + best + "?)"
}

// Nearest returns the word most similar to word; "" if none is similar. A word with more than three changes,
// or with changes in half of its characters, is not similar.
func Nearest(word string, words ...string) string {
	best, at := "", 4
	for _, w := range words {
		if d := distance(word, w); d < at && 2*d < len(w) {
			best, at = w, d
		}
	}
	return best
}

// distance returns how many characters must be inserted, deleted or replaced to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := before
			if a[i] != b[j] {
				replaced++
			}
			before = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
