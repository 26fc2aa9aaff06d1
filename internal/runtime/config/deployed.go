package config

import (
	"errors"
	"fmt"
)

// CheckStart is what a deployed process does before anything else: it reads and
// checks its variables, as [Environment.Load] does, so that a wrong one stops a
// deployment and not the first event. A process is deployed if it has
// FUNCTION_TARGET or K_SERVICE, both of which production sets; in any other,
// such as the command line, nothing is read.
func CheckStart(indexes []byte) error {
	env := ProcessEnvironment()
	_, target := env["FUNCTION_TARGET"]
	_, service := env["K_SERVICE"]
	if !target && !service {
		return nil
	}
	_, err := env.Load(indexes)
	return err
}

// checkDeployed reports variables that a function on Cloud Run must not have:
// those that name an emulator. With the Auth emulator's it would accept ID
// tokens that nobody has signed, of any user; with Firestore's it would lose
// every event. Cloud Run sets K_SERVICE in every function of the second generation.
func (env Environment) checkDeployed() error {
	service, deployed := env["K_SERVICE"]
	if !deployed {
		return nil
	}
	var errs []error
	for _, variable := range []string{"FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"} {
		if value := env[variable]; value != "" {
			errs = append(errs, fmt.Errorf("%s=%q: must not be set in a deployed function, which this is: K_SERVICE=%q", variable, value, service))
		}
	}
	return errors.Join(errs...)
}
