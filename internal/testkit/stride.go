package testkit

import "testing"

// Stride is how far apart the calls are at which a test makes a process fail, each in a run of
// its own: 1, which is every call. With -short, as make test has it, it is every seventh:
// make test-long runs these tests again without.
func Stride() int {
	if testing.Short() {
		return 7
	}
	return 1
}
