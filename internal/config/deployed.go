package config

import (
	"errors"
	"fmt"
	"os"
)

// CheckDeployed reports variables that a deployed function must not have: those that
// name an emulator. With the Auth emulator's it would accept ID tokens that
// nobody has signed, of any user; with Firestore's it would lose every event.
// The error names each variable, its value and the rule. In a process that is
// not deployed, which is one without K_SERVICE, it is nil: Cloud Run sets that
// variable in every function of the second generation.
func CheckDeployed() error {
	service, deployed := os.LookupEnv("K_SERVICE")
	if !deployed {
		return nil
	}
	var errs []error
	for _, variable := range []string{"FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"} {
		if value := os.Getenv(variable); value != "" {
			errs = append(errs, fmt.Errorf("%s=%q: must not be set in a deployed function, which this is: K_SERVICE=%q", variable, value, service))
		}
	}
	return errors.Join(errs...)
}
