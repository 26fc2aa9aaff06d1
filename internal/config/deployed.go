package config

import (
	"errors"
	"fmt"

	"example.com/relationindex/schema"
)

// CheckStart reads and checks the variables of a deployed process, like
// [Environment.Load]. The process calls it first, so that a wrong variable stops the
// deployment, and not the first event.
//
// A process is deployed if it has FUNCTION_TARGET or K_SERVICE; production sets both. In
// other processes, such as the command line, CheckStart reads nothing.
//
// Each of custom completes the configuration in Go, as in functions.Register. It may set only fields without a
// variable. Setting another field is an error, because commands and deployments read variables.
func CheckStart(indexes []byte, custom ...func(*schema.Config)) error {
	env := ProcessEnvironment()
	_, target := env["FUNCTION_TARGET"]
	_, service := env["K_SERVICE"]
	if !target && !service {
		return nil
	}
	read, err := env.Load(indexes)
	if err != nil {
		return err
	}
	c := read
	for _, change := range custom {
		change(&c)
	}
	errs := []error{c.Validate()}
	before := read.Settings()
	for i, s := range c.Settings() {
		if s.Value != before[i].Value && !s.Tests {
			errs = append(errs, fmt.Errorf("functions.Register: the app sets the field %s: set %s instead, which commands and deployments read", s.Field, s.Variable))
		}
	}
	return errors.Join(errs...)
}

// checkDeployed reports variables that name an emulator in a function on Cloud Run. With
// an Auth emulator, the function would accept unsigned ID tokens of any user. With a
// Firestore emulator, it would lose every event. Cloud Run sets K_SERVICE in every
// function of the second generation.
func (env Environment) checkDeployed() error {
	service, deployed := env["K_SERVICE"]
	if !deployed {
		return nil
	}
	var errs []error
	for _, variable := range []string{"FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"} {
		if value := env[variable]; value != "" {
			errs = append(errs, fmt.Errorf("%s=%q: must not be set in a deployed function; K_SERVICE=%q shows that this process is one", variable, value, service))
		}
	}
	return errors.Join(errs...)
}
