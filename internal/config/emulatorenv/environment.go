package emulatorenv

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
)

// The variables of ours that Environment has.
const (
	FirestoreEmulator = "RELATIONINDEX_FIRESTORE_EMULATOR"
	FunctionsEmulator = "RELATIONINDEX_FUNCTIONS_EMULATOR"
)

// Environment says where the programs of the Firestore emulator are. Every field may be empty.
type Environment struct {
	// Running is RELATIONINDEX_FIRESTORE_EMULATOR, the host:port of a Firestore emulator that somebody else started and ends. Empty: start one.
	Running string

	// Functions is RELATIONINDEX_FUNCTIONS_EMULATOR, the host:port that was given to the running emulator as --functions_emulator: it posts
	// its events there. Means nothing without Running.
	Functions string

	// Jar is FIRESTORE_EMULATOR_BINARY_PATH, the path of the emulator's jar. firebase-tools reads the same variable.
	Jar string

	// JavaHome is JAVA_HOME, the directory of the Java installation to use. Empty: the java on PATH.
	JavaHome string
}

// Load reads Environment from the environment. Its error joins one error per wrong variable, each naming
// the variable, its value and the rule. It does not look whether files exist. It may be called again.
func Load() (Environment, error) {
	e := Environment{
		Running: os.Getenv(FirestoreEmulator), Functions: os.Getenv(FunctionsEmulator),
		Jar: os.Getenv("FIRESTORE_EMULATOR_BINARY_PATH"), JavaHome: os.Getenv("JAVA_HOME"),
	}
	if err := e.validate(); err != nil {
		return Environment{}, err
	}
	return e, nil
}

func (e Environment) validate() error {
	var errs []error
	if e.Running != "" {
		errs = append(errs, CheckHostPort(FirestoreEmulator, e.Running))
	}
	if e.Functions != "" {
		errs = append(errs, CheckHostPort(FunctionsEmulator, e.Functions))
		if e.Running == "" {
			errs = append(errs, fmt.Errorf("%s=%q: only with %s, which is not set", FunctionsEmulator, e.Functions, FirestoreEmulator))
		}
	}
	return errors.Join(errs...)
}

// CheckHostPort accepts "127.0.0.1:8080" and "[::1]:8080", and neither a scheme nor port 0. The error names the
// variable, the value and the rule.
func CheckHostPort(variable, value string) error {
	host, port, err := net.SplitHostPort(value)
	if err != nil || host == "" {
		return fmt.Errorf("%s=%q: must be host:port, such as 127.0.0.1:8080", variable, value)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return fmt.Errorf("%s=%q: the port must be a number from 1 to 65535", variable, value)
	}
	return nil
}
