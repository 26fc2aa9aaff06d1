package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// binaryVariable has our prefix but is not for the functions. Tests find the program by it.
const binaryVariable = "RELATIONINDEX_BINARY"

const ourPrefix = "RELATIONINDEX_"

// FileVariable names a file with variables, which functions do not read: see package envfile.
const FileVariable = ourPrefix + "ENV"

// LoadFunctions reads a configuration from the environment of this process, and checks it against indexes: see
// [Environment.Load].
func LoadFunctions(indexes []byte) (schema.Config, error) { return ProcessEnvironment().Load(indexes) }

// Load reads a configuration from the environment. It checks the configuration, and firestore.indexes.json
// against it. The error joins one error for each wrong variable, with the variable, its value and the rule;
// [Each] splits it.
func (env Environment) Load(indexes []byte) (schema.Config, error) {
	c, errs := env.read()
	if c.Project == "" {
		errs = append(errs, errors.New("GOOGLE_CLOUD_PROJECT is not set: must be the id of the database's project"))
	}
	if err := errors.Join(append(errs, CheckTests(c), c.Validate(), env.checkDeployed())...); err != nil {
		return c, err // which indexes are required depends on the variables
	}
	return c, CheckIndexes(c, indexes)
}

// CheckTests returns an error for each setting that only tests on an emulator may have.
func CheckTests(c schema.Config) error {
	var errs []error
	for _, s := range c.Settings() {
		if s.Tests && s.Set() && c.EmulatorHost == "" {
			errs = append(errs, fmt.Errorf("%s=%s: is for tests on an emulator; functions of your own may set the field %s", s.Variable, s.Value, s.Field))
		}
	}
	return errors.Join(errs...)
}

// LoadAnyProject is Load without indexes, for callers that get the project elsewhere,
// such as from a flag. The project may be missing.
func (env Environment) LoadAnyProject() (schema.Config, error) {
	c, errs := env.read()
	return c, errors.Join(append(errs, c.Validate())...)
}

// read parses each variable. It returns an error for each wrong value and unknown name.
func (env Environment) read() (schema.Config, []error) {
	var c schema.Config
	var errs []error
	known := []string{binaryVariable, FileVariable}
	for _, s := range settings.Of(&c, schema.Config{}.WithDefaults()) {
		known = append(known, s.Variable)
		value := strings.TrimSpace(env[s.Variable])
		if value == "" {
			continue
		}
		if err := s.Parse(env[s.Variable]); err != nil {
			errs = append(errs, err)
		}
	}
	if c.Database == schema.DefaultDatabase {
		c.Database = ""
	}
	for name, value := range env {
		if value != "" && strings.HasPrefix(name, ourPrefix) && !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("%q: no such variable%s: docs/configuration.md lists all", name, Suggestion(name))) // without the value, which may be a secret
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return c, errs
}

// Each returns the errors that are joined in err, one for each mistake.
func Each(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	var all []error
	for _, e := range joined.Unwrap() {
		all = append(all, Each(e)...)
	}
	return all
}

// Suggestion returns " (do you mean …?)" with the variable most similar to name; "" if none is similar.
func Suggestion(name string) string {
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
