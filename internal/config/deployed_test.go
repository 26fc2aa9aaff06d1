package config

import (
	"strings"
	"testing"

	"example.com/relationindex/schema"
)

// A deployed function has no use for an emulator: the error has each variable, its value and the rule.
func TestDeployedFunctionRejectsEmulatorVariables(t *testing.T) {
	const auth, firestore = "FIREBASE_AUTH_EMULATOR_HOST", "FIRESTORE_EMULATOR_HOST"
	for name, test := range map[string]struct {
		env  map[string]string
		want []string // all of them; none: it is taken
	}{
		"nothing set":          {},
		"deployed":             {map[string]string{"K_SERVICE": "feed"}, nil},
		"local":                {map[string]string{auth: "127.0.0.1:9099", firestore: "127.0.0.1:8080"}, nil},
		"Auth emulator":        {map[string]string{"K_SERVICE": "feed", auth: "127.0.0.1:9099"}, []string{auth + `="127.0.0.1:9099"`, "must not be set", `K_SERVICE="feed"`}},
		"nothing, as a value":  {map[string]string{"K_SERVICE": "feed", auth: "", firestore: ""}, nil},
		"a value that is none": {map[string]string{"K_SERVICE": "", auth: " "}, []string{auth + `=" "`}},
		"both": {map[string]string{"K_SERVICE": "feed", auth: "127.0.0.1:9099", firestore: "127.0.0.1:8080"},
			[]string{auth + `="127.0.0.1:9099"`, firestore + `="127.0.0.1:8080"`}},
	} {
		t.Run(name, func(t *testing.T) {
			unset(t)
			t.Setenv("GOOGLE_CLOUD_PROJECT", "demo-a")
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			_, loaded := LoadFunctions(deployedIndexes(t))
			for what, err := range map[string]error{"CheckStart": CheckStart(deployedIndexes(t)), "LoadFunctions": loaded} {
				if len(test.want) == 0 && err != nil {
					t.Errorf("%s: %v", what, err)
				}
				for _, want := range test.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("%s: %v, want %q in it", what, err, want)
					}
				}
			}
		})
	}
}

// A program that only links the functions, like the command line, does not need their variables.
func TestCheckStartReadsNothingElsewhere(t *testing.T) {
	unset(t)
	t.Setenv("RELATIONINDEX_CAPACITY", "many")
	if err := CheckStart(deployedIndexes(t)); err != nil {
		t.Error(err)
	}
	for _, variable := range []string{"FUNCTION_TARGET", "K_SERVICE"} {
		t.Run(variable, func(t *testing.T) {
			t.Setenv(variable, "OnPostWritten")
			if errs := Each(CheckStart(deployedIndexes(t))); len(errs) != 2 { // no project, a capacity that is no number
				t.Errorf("%v, want two errors", errs)
			}
		})
	}
}

// An instance starts for an event that waits: this must not show beside the milliseconds that a program takes to start.
func BenchmarkCheckStart(b *testing.B) {
	b.Setenv("GOOGLE_CLOUD_PROJECT", "demo-a")
	b.Setenv("FUNCTION_TARGET", "OnPostWritten")
	indexes := deployedIndexes(b)
	for b.Loop() {
		if err := CheckStart(indexes); err != nil {
			b.Fatal(err)
		}
	}
}

// An app sets in Go only fields without a variable: else commands and deployments would read another value.
func TestAppSetsOnlyFieldsWithoutVariable(t *testing.T) {
	unset(t)
	t.Setenv("GOOGLE_CLOUD_PROJECT", "demo-a")
	t.Setenv("FUNCTION_TARGET", "OnPostWritten")
	for want, change := range map[string]func(*schema.Config){
		"": func(c *schema.Config) { c.Chunk, c.Deliveries = 7, []schema.Delivery{{Name: "mail"}} },
		"the app sets the field Capacity: set RELATIONINDEX_CAPACITY instead": func(c *schema.Config) { c.Capacity = 7 },
		"the app sets the field Project":                                      func(c *schema.Config) { c.Project = "demo-b" },
		`delivery "No!": must be named`:                                       func(c *schema.Config) { c.Deliveries = []schema.Delivery{{Name: "No!"}} },
	} {
		if err := CheckStart(deployedIndexes(t), change); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
