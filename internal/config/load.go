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
	known := []string{binaryVariable, fileVariable}
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
			errs = append(errs, fmt.Errorf("%q: no such variable%s: docs/configuration.md lists all", name, suggestion(name))) // without the value, which may be a secret
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
