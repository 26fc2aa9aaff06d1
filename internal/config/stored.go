package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Stored says what becomes of a variable in the configuration that functions store.
type Stored string

// The kinds of variables.
const (
	Decides  Stored = ""      // it decides what is derived: commands must have the functions' value
	Aside    Stored = "aside" // it is stored; a command may have another value
	Unstored Stored = "no"    // it says which database or process is meant, or is a secret
)

// The deliveries that a configuration may have on, and that can lack posts: see [Setting].
const (
	Relations = "relations"
	Timelines = "timelines"
)

// Delivers reports whether a delivery is on.
func (f Functions) Delivers(delivery string) bool {
	if delivery == Relations {
		return !f.RelationsOff
	}
	return f.Timeline != ""
}

// Stored returns the variables that are stored, with the values that are not as by default. No
// secret is stored.
func (f Functions) Stored() map[string]string {
	stored, standard := map[string]string{}, Functions{}.WithDefaults().Settings()
	for i, s := range f.WithDefaults().Settings() {
		if s.Stored != Unstored && s.Value != standard[i].Value {
			stored[s.Variable] = s.Value
		}
	}
	return stored
}

// Difference is a variable of which the functions have another value; "" is the default.
type Difference struct {
	Setting   // without a value
	Functions string
	Here      string
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

// Differences returns the variables that differ between two results of [Functions.Stored], in the
// order of the struct.
func Differences(functions, here map[string]string) (all []Difference) {
	for _, s := range (Functions{}).Settings() {
		if functions[s.Variable] != here[s.Variable] {
			all = append(all, Difference{s, functions[s.Variable], here[s.Variable]})
		}
	}
	return all
}

// ErrOtherRelease says that functions have stored a variable or value that this release does not know.
var ErrOtherRelease = errors.New("the functions are of another release: use that release's program")

// Among completes an environment by what functions have stored. Of each variable that env does not
// have, or has empty, it takes the stored value. It returns the others whose values differ. The
// error is [ErrOtherRelease].
func (env Environment) Among(stored map[string]string) (Environment, []Difference, error) {
	read, errs := Environment(stored).read()
	if len(errs) > 0 {
		return nil, nil, fmt.Errorf("%w: %w", ErrOtherRelease, errors.Join(errs...))
	}
	mine, _ := env.read() // wrong values are the caller's to report
	here, merged := mine.Stored(), maps.Clone(env)
	var differ []Difference
	for _, d := range Differences(read.Stored(), here) {
		if strings.TrimSpace(env[d.Variable]) == "" {
			merged[d.Variable] = d.Functions
		} else {
			differ = append(differ, d)
		}
	}
	return merged, differ, nil
}

// LoadTarget reads which database an environment means, and checks each variable by itself.
// Variables that exclude each other are no error: what functions have stored may complete them.
func (env Environment) LoadTarget() (Functions, error) {
	f, errs := env.read()
	for _, s := range f.Settings() {
		if !s.value.IsZero() {
			errs = append(errs, s.check()...)
		}
	}
	return f, errors.Join(errs...)
}

// CheckNames returns an error unless each name is a variable that is stored.
func CheckNames(variables []string) error {
	var errs []error
	all := Functions{}.Settings()
	for _, name := range variables {
		if !slices.ContainsFunc(all, func(s Setting) bool { return s.Variable == name && s.Stored != Unstored }) {
			errs = append(errs, fmt.Errorf("%q: no such variable%s", name, suggestion(name)))
		}
	}
	return errors.Join(errs...)
}
