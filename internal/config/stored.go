package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/relationindex/schema"
	"example.com/relationindex/schema/settings"
)

// Values of [settings.Setting.Stored]: how functions store a setting in the configuration.
const (
	Decides  = ""      // the setting determines derived documents: commands must have the functions' value
	Aside    = "aside" // the setting is stored; a command may have another value
	Unstored = "no"    // the setting identifies a database or process, or is a secret
)

// The deliveries that a configuration may turn on, and that may lack posts: see [settings.Setting.Gap].
const (
	Relations = "relations"
	Timelines = "timelines"
)

// Delivers reports whether a delivery is on.
func Delivers(c schema.Config, delivery string) bool { return partOf(c.Feeds, delivery) != "" }

// partOf returns the feed of a delivery in a list of feeds; "" if the delivery is off.
func partOf(feeds []string, delivery string) string {
	c := schema.Config{Feeds: feeds}
	switch {
	case delivery == Timelines:
		return c.Timeline()
	case c.Relations():
		return Relations
	default:
		return ""
	}
}

// Stored returns the stored variables whose values are not the default. It never includes a secret.
func Stored(c schema.Config) map[string]string {
	stored, standard := map[string]string{}, schema.Config{}.WithDefaults().Settings()
	for i, s := range c.WithDefaults().Settings() {
		if s.Stored != Unstored && s.Value != standard[i].Value {
			stored[s.Variable] = s.Value
		}
	}
	return stored
}

// Feeds returns the feeds in stored variables.
func Feeds(stored map[string]string) []string {
	if stored[feedsVariable] == "" {
		return nil
	}
	return strings.Split(stored[feedsVariable], ",")
}

const feedsVariable = "RELATIONINDEX_FEEDS"

// Difference is a variable whose value differs between the functions and here; "" is the default.
type Difference struct {
	settings.Setting // without a value
	Functions        string
	Here             string
}

// Opens reports whether a delivery may lack something, until a repair, after the value changes from Functions
// to Here.
func (d Difference) Opens(delivery string) bool {
	if d.Variable == feedsVariable {
		of := func(value string) string { return partOf(Feeds(map[string]string{feedsVariable: value}), delivery) }
		return of(d.Functions) != of(d.Here)
	}
	return slices.Contains(d.Gap, delivery)
}

func (d Difference) String() string {
	show := func(value string) string {
		switch {
		case value == "" && d.Default != "":
			return "the default, " + d.Default
		case value == "":
			return "none"
		default:
			return value
		}
	}
	return fmt.Sprintf("%s: the functions run with %s, here it is %s", d.Variable, show(d.Functions), show(d.Here))
}

// Differences returns the variables that differ between two results of [Stored], in the
// order of the struct.
func Differences(functions, here map[string]string) (all []Difference) {
	for _, s := range (schema.Config{}).Settings() {
		if functions[s.Variable] != here[s.Variable] {
			all = append(all, Difference{s, functions[s.Variable], here[s.Variable]})
		}
	}
	return all
}

// ErrOtherRelease means that functions have stored a variable or value that this release does not support.
var ErrOtherRelease = errors.New("the functions are of another release: use that release's program")

// Among completes an environment with the configuration that functions have stored. A variable that env lacks,
// or has empty, gets the stored value. Among returns the other variables whose values differ. The error is
// [ErrOtherRelease].
func (env Environment) Among(stored map[string]string) (Environment, []Difference, error) {
	read, errs := Environment(stored).read()
	if len(errs) > 0 {
		return nil, nil, fmt.Errorf("%w: %w", ErrOtherRelease, errors.Join(errs...))
	}
	mine, _ := env.read() // the caller reports wrong values
	here, merged := Stored(mine), maps.Clone(env)
	var differ []Difference
	for _, d := range Differences(Stored(read), here) {
		if strings.TrimSpace(env[d.Variable]) == "" {
			merged[d.Variable] = d.Functions
		} else {
			differ = append(differ, d)
		}
	}
	return merged, differ, nil
}

// LoadTarget reads the database that an environment identifies, and checks each variable by itself. Variables
// that exclude each other are no error: the stored configuration may complete them.
func (env Environment) LoadTarget() (schema.Config, error) {
	c, errs := env.read()
	return c, errors.Join(append(errs, c.CheckEach())...)
}

// CheckNames returns an error unless each name is a stored variable.
func CheckNames(variables []string) error {
	var errs []error
	all := schema.Config{}.Settings()
	for _, name := range variables {
		if !slices.ContainsFunc(all, func(s settings.Setting) bool { return s.Variable == name && s.Stored != Unstored }) {
			errs = append(errs, fmt.Errorf("%q: no such variable%s", name, Suggestion(name)))
		}
	}
	return errors.Join(errs...)
}
