package emulator

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/emulator/push"
)

func TestOptionsValidate(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "firestore.rules")
	if err := os.WriteFile(rules, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		o    Options
		errs []string // all must be in the error
	}{
		{name: "the zero value"},
		{name: "all of it", o: Options{
			FirestorePort: 8080, BrokerPort: 8081, RulesFile: rules, JavaArgs: []string{"-Xmx1g"},
			Push: push.Options{Retry: push.Backoff{First: time.Second, Max: time.Second}},
		}},
		{name: "production's subscription, faster", o: Options{Push: scaled(0.1)}},
		{name: "a subscription that cannot be", o: Options{Push: push.Options{Throttle: push.Backoff{Max: 1}, Retention: -1, Window: 3001, Scale: math.NaN()}},
			errs: []string{"Push.Throttle", "Push.Retention = -1ns", "Push.Window = 3001", "Push.Scale = NaN: must be a finite number, 0 or more (0 means 1)"}},
		{name: "ports that do not exist", o: Options{FirestorePort: -1, BrokerPort: 65536}, errs: []string{"FirestorePort = -1", "BrokerPort = 65536"}},
		{name: "one port for both", o: Options{FirestorePort: 8080, BrokerPort: 8080}, errs: []string{"8080: must differ"}},
		{name: "no such rules", o: Options{RulesFile: rules + "x"}, errs: []string{"RulesFile", rules + "x"}},
		{name: "rules that are a directory", o: Options{RulesFile: filepath.Dir(rules)}, errs: []string{"must be a file"}},
		{name: "a class name among the flags", o: Options{JavaArgs: []string{"-Xmx1g", "Main"}}, errs: []string{`"Main"`}},
		{name: "a negative pause", o: Options{Push: push.Options{Retry: push.Backoff{First: -1}}}, errs: []string{"must not be negative"}},
		{name: "a first pause above the default longest", o: Options{Push: push.Options{Retry: push.Backoff{First: time.Minute}}}, errs: []string{"Push.Retry = 1m0s to 10s (Max is the default): First must not be longer than Max"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { CheckErrors(t, tt.o.Validate(), tt.errs) })
	}
}

func TestTriggerValidate(t *testing.T) {
	good := Trigger{Name: "on-user_1.v2", EventType: "google.cloud.firestore.document.v1.written", Document: "users/{u}", URL: "http://127.0.0.1:1/x"}
	tests := []struct {
		name   string
		change func(*Trigger)
		errs   []string
	}{
		{name: "a good one", change: func(*Trigger) {}},
		{name: "with the author", change: func(t *Trigger) { t.EventType = "google.cloud.firestore.document.v1.created.withAuthContext" }},
		{name: "a wildcard for several segments", change: func(t *Trigger) { t.Document = "users/{path=**}" }},
		{name: "a wildcard for all", change: func(t *Trigger) { t.Document = "{path=**}" }},
		{name: "everything wrong", change: func(t *Trigger) {
			*t = Trigger{Name: "a/b", Database: "(default)", EventType: "written", Document: "users", URL: "127.0.0.1:8081", Concurrency: 1001, Timeout: -1}
		}, errs: []string{`Name = "a/b"`, `Database = "(default)"`, `EventType = "written"`, `Document = "users"`, `URL = "127.0.0.1:8081"`, `Concurrency = "1001"`, `Timeout = "-1ns"`}},
		{name: "an empty segment", change: func(t *Trigger) { t.Document = "/users/{u}/x" }, errs: []string{"Document"}},
		{name: "no name", change: func(t *Trigger) { t.Name = "" }, errs: []string{"Name"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			trigger := good
			tt.change(&trigger)
			CheckErrors(t, trigger.Validate(), tt.errs)
		})
	}
}

// CheckErrors checks that there is an error just when something is wanted in it.
func CheckErrors(t *testing.T, err error, wants []string) {
	t.Helper()
	if (err != nil) != (len(wants) > 0) {
		t.Fatalf("error %v, want one: %t", err, len(wants) > 0)
	}
	for _, want := range wants {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not say %q", err, want)
		}
	}
}
