package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"cloud.google.com/go/firestore"
)

// binaryVariable has our prefix and is none of the functions': tests find the program there.
const binaryVariable = "RELATIONINDEX_BINARY"

const ourPrefix = "RELATIONINDEX_"

// Load reads Functions from the environment and checks it, and firestore.indexes.json
// against it. The error joins one for each wrong variable, which names the
// variable, its value and the rule; [Each] takes it apart.
func (env Environment) Load(indexes []byte) (Functions, error) {
	f, errs := env.read()
	if err := errors.Join(append(errs, f.Validate(), env.checkDeployed())...); err != nil {
		return f, err // what the indexes must be depends on the variables
	}
	return f, f.CheckIndexes(indexes)
}

// LoadAnyProject is Load for who has the project from elsewhere, such as a flag,
// and does not look at indexes: there need not be a project.
func (env Environment) LoadAnyProject() (Functions, error) {
	f, errs := env.read()
	checked := f
	checked.Project = cmp.Or(f.Project, "to-come")
	return f, errors.Join(append(errs, checked.Validate())...)
}

// read parses each variable. What cannot be parsed stays at its default.
func (env Environment) read() (Functions, []error) {
	var f Functions
	var errs []error
	fields := reflect.ValueOf(&f).Elem()
	known := []string{binaryVariable}
	for i, s := range f.Settings() {
		known = append(known, s.Variable)
		value := strings.TrimSpace(env[s.Variable])
		if value == "" {
			continue
		}
		if err := parse(value, fields.Field(i).Addr().Interface()); err != nil {
			errs = append(errs, s.wrong(strconv.Quote(env[s.Variable])))
		}
	}
	if f.Database == firestore.DefaultDatabaseID {
		f.Database = ""
	}
	for name, value := range env {
		if value != "" && strings.HasPrefix(name, ourPrefix) && !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("%q: there is no such variable: docs/configuration.md has them all", name)) // its value may be a secret
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return f, errs
}

// parse sets what into points to.
func parse(value string, into any) (err error) {
	switch into := into.(type) {
	case *string:
		*into = value
	case *[]string:
		for item := range strings.SplitSeq(value, ",") {
			*into = append(*into, strings.TrimSpace(item))
		}
	case *int:
		*into, err = strconv.Atoi(value)
	case *bool:
		*into, err = strconv.ParseBool(value)
	case *time.Duration:
		*into, err = time.ParseDuration(value)
	case *slog.Level:
		err = into.UnmarshalText([]byte(value))
	default:
		return fmt.Errorf("no parser for %T", into)
	}
	return err
}

// Each is the errors that are joined in err, one for each thing that is wrong.
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
