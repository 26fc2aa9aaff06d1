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
)

// binaryVariable has our prefix but is not for the functions: tests find
// the program there.
const binaryVariable = "RELATIONINDEX_BINARY"

const ourPrefix = "RELATIONINDEX_"

// Load reads Functions from the environment. It checks them, and firestore.indexes.json
// against them. The error joins one error for each wrong variable, with the variable, its
// value and the rule; [Each] splits it.
func (env Environment) Load(indexes []byte) (Functions, error) {
	f, errs := env.read()
	if err := errors.Join(append(errs, f.Validate(), env.checkDeployed())...); err != nil {
		return f, err // which indexes are required depends on the variables
	}
	return f, f.CheckIndexes(indexes)
}

// LoadAnyProject is Load without indexes, for callers that get the project elsewhere,
// such as from a flag. The project may be missing.
func (env Environment) LoadAnyProject() (Functions, error) {
	f, errs := env.read()
	checked := f
	checked.Project = cmp.Or(f.Project, "to-come")
	return f, errors.Join(append(errs, checked.Validate())...)
}

// read parses each variable. It returns an error for each wrong value and unknown name.
func (env Environment) read() (Functions, []error) {
	var f Functions
	var errs []error
	fields := reflect.ValueOf(&f).Elem()
	known := []string{binaryVariable, fileVariable}
	for i, s := range f.Settings() {
		known = append(known, s.Variable)
		value := strings.TrimSpace(env[s.Variable])
		if value == "" {
			continue
		}
		err := parse(value, fields.Field(i).Addr().Interface())
		if zero := fields.Field(i).IsZero(); err != nil || zero && s.min > 0 && !strings.HasPrefix(s.Rule, "0") { // which would mean the default
			errs = append(errs, s.wrong(strconv.Quote(env[s.Variable])))
		}
	}
	if f.Database == defaultDatabase {
		f.Database = ""
	}
	for name, value := range env {
		if value != "" && strings.HasPrefix(name, ourPrefix) && !slices.Contains(known, name) {
			errs = append(errs, fmt.Errorf("%q: no such variable%s: docs/configuration.md lists all", name, suggestion(name))) // without the value, which may be a secret
		}
	}
	slices.SortStableFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return f, errs
}

// parse parses value into the variable that into points to.
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
