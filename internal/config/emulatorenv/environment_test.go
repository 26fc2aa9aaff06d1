package emulatorenv

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoad(t *testing.T) {
	const (
		running   = "RELATIONINDEX_FIRESTORE_EMULATOR"
		functions = "RELATIONINDEX_FUNCTIONS_EMULATOR"
		jar       = "FIRESTORE_EMULATOR_BINARY_PATH"
		java      = "JAVA_HOME"
	)
	tests := []struct {
		name string
		env  map[string]string
		want Environment
		errs []string // all must be in the error
	}{
		{name: "nothing set"},
		{
			name: "everything set",
			env:  map[string]string{running: "127.0.0.1:8080", functions: "[::1]:8081", jar: "/opt/e.jar", java: "/opt/java"},
			want: Environment{Running: "127.0.0.1:8080", Functions: "[::1]:8081", Jar: "/opt/e.jar", JavaHome: "/opt/java"},
		},
		{
			name: "both addresses are wrong and both are named",
			env:  map[string]string{running: "http://localhost:8080", functions: "localhost"},
			errs: []string{running + `="http://localhost:8080"`, functions + `="localhost"`, "host:port"},
		},
		{
			name: "the port is not a number",
			env:  map[string]string{running: "localhost:http"},
			errs: []string{running + `="localhost:http"`, "1 to 65535"},
		},
		{
			name: "port 0 is not an address to connect to",
			env:  map[string]string{running: "localhost:0"},
			errs: []string{"1 to 65535"},
		},
		{
			name: "no host",
			env:  map[string]string{running: ":8080"},
			errs: []string{"host:port"},
		},
		{
			name: "an address for events without an emulator that posts them",
			env:  map[string]string{functions: "127.0.0.1:8081"},
			errs: []string{functions, running + ", which is not set"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, variable := range []string{running, functions, jar, java} {
				t.Setenv(variable, tt.env[variable])
			}
			got, err := Load()
			if (err != nil) != (len(tt.errs) > 0) {
				t.Fatalf("Load: %v, want an error: %t", err, len(tt.errs) > 0)
			}
			for _, want := range tt.errs {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
