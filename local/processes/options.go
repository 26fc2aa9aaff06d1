package processes

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	"example.com/relationindex"
	"example.com/relationindex/emulator"
	"example.com/relationindex/emulator/chaos"
	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/push"
	"example.com/relationindex/emulator/siteguard"
	"example.com/relationindex/emulator/weather"
	"example.com/relationindex/internal/rulestext"
	"example.com/relationindex/internal/wire"
	"example.com/relationindex/schema"
)

// Options are the options of a system to start. Only Project is required.
type Options struct {
	// Project is the project id. An id that begins with "demo-" can never be
	// that of a real project.
	Project string

	// FirestorePort and FunctionsPort are the TCP ports of the proxy before the
	// emulator and of the broker on 127.0.0.1; 0 takes a free one.
	FirestorePort int
	FunctionsPort int

	// AnyProject gives every project whose id begins with "demo-" triggers and functions, before its first
	// request reaches the emulator. Projects that no client names cost nothing.
	AnyProject bool

	// Notice gets a line when a project has got its triggers, or has none; nil: the line is only in the log of
	// deliveries. Notice must be safe for concurrent use.
	Notice func(line string)

	// Auth starts the Auth emulator as well, where firebase-tools is installed:
	// see [System.NoAuth]. AuthPort is its TCP port on 127.0.0.1; 0 takes a free one.
	Auth     bool
	AuthPort int

	// Web serves the app and the console, and counts operations for each action:
	// see [Action]. WebPort is its TCP port on 127.0.0.1; 0 takes a free one.
	Web     bool
	WebPort int

	// AllowHosts are further names than loopback's, without a port. Requests may address the ports by
	// them, and come from pages of them: see [siteguard.Guard].
	AllowHosts []string

	// Import is a folder written by [System.Export] or `firebase emulators:export`. The system begins
	// with its documents and accounts; "": with none. Their events are not delivered, but their jobs go
	// on.
	Import string

	// Rules are the security rules; nil: those of this repository.
	Rules []byte

	// Pace makes the rules limit the pace of clients' acts: see docs/rules.md.
	Pace bool

	// Functions configures the functions. Start sets its Project, EmulatorHost and
	// AuthEmulatorHost.
	Functions schema.Config

	// Workers is the number of processes that serve the functions, 1 to 16; 0: 1.
	Workers int

	// Chaos duplicates, reorders and drops deliveries, and loses events, except the events of user documents. The
	// zero value changes nothing.
	Chaos chaos.Rates

	// Push configures the delivery of events; [push.Production] has production's
	// values. The zero value delivers up to the concurrency of the function times Workers
	// at once.
	Push push.Options

	// Instances models what Cloud Run does in front of each function, with the concurrency
	// and the maximum of instances in the table of triggers; [instances.Production] has
	// production's values. nil: the workers accept every request at once.
	Instances *instances.Options

	// Interceptors see the calls of the functions, from all workers, before the guards do. With interceptors,
	// the functions reach the emulator through a [faults.Proxy]. Interceptors see no calls of the clients of
	// the system and of the caller.
	Interceptors []wire.Interceptor

	// Weather makes the database answer the functions and gRPC clients as slowly as production, and with production's
	// errors: see [System.Weather]. nil: none. It starts the proxies of the functions and before the emulator. It does
	// not slow browsers, REST and the system's own client.
	Weather *weather.Options

	// Unguarded leaves out the guards, for measurements: guards read each document before it is written. It also
	// leaves out the proxy of the functions, unless Web, Interceptors or Weather need it. It leaves out the proxy
	// before the emulator, unless AnyProject or Weather need it. Latency.Entry of Weather still reads each
	// document.
	Unguarded bool

	// EmulatorArgs are more flags for the emulator's Java virtual machine, such as "-Xmx14g".
	EmulatorArgs []string

	// SweepEvery is the pause between two calls of the function Sweep. In production, the scheduler calls
	// it; 0: 5 s.
	SweepEvery time.Duration

	// Expiry is the pause between two deletions of expired documents, and the time from a document's expiry to its
	// deletion; 0: a minute. Weather has its own times.
	Expiry time.Duration

	// Command starts a program that calls [Serve]. The port is appended as the last argument, after --port. nil:
	// this program, with the command "functions".
	Command []string
}

// maxWorkers is far more than a machine can use.
const maxWorkers = 16

// maxInFlight is the most deliveries of a trigger at all workers together: the broker's largest
// concurrency.
const maxInFlight = 1000

// defaultSweepEvery is shorter than production's minute, so that developers do not wait.
const defaultSweepEvery = 5 * time.Second

// projectID matches the ids that Google Cloud accepts and the emulator's paths can carry.
var projectID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

// hostName matches a name, or an address of IPv4 or IPv6.
var hostName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*$|^[0-9a-f:]*:[0-9a-f:.]*$`)

func (o Options) rules() []byte {
	if o.Rules != nil {
		return o.Rules
	}
	return relationindex.FirestoreRules
}

// guard is the guard of every port for clients.
func (o Options) guard() siteguard.Guard {
	return siteguard.Guard{Hosts: o.AllowHosts, Advice: "If that is yours, start dev with --allow-host %s"}
}

// Validate reports every option that is out of its range.
func (o Options) Validate() error {
	var errs []error
	if !projectID.MatchString(o.Project) {
		errs = append(errs, fmt.Errorf("project %q: must be lower-case letters, digits and dashes, such as demo-relationindex", o.Project))
	}
	errs = append(errs, o.validatePorts()...)
	for _, host := range o.AllowHosts {
		if !hostName.MatchString(host) {
			errs = append(errs, fmt.Errorf("allowed host %q: must be a name or an address in lower case, without scheme and port, such as host.docker.internal", host))
		}
	}
	if o.Workers < 0 || o.Workers > maxWorkers {
		errs = append(errs, fmt.Errorf("workers %d: must be 1 to %d, or 0 for one", o.Workers, maxWorkers))
	}
	if o.SweepEvery < 0 {
		errs = append(errs, fmt.Errorf("sweep every %v: must not be negative", o.SweepEvery))
	}
	if o.Expiry < 0 {
		errs = append(errs, fmt.Errorf("expiry %v: must not be negative", o.Expiry))
	}
	if o.Weather != nil {
		if err := o.Weather.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("weather: %w", err))
		}
	}
	if o.Instances != nil {
		if err := o.Instances.Validate(); err != nil {
			errs = append(errs, fmt.Errorf("instances: %w", err))
		}
	}
	errs = append(errs, emulator.Options{Push: o.Push}.Validate(), o.Chaos.Validate(), rulestext.Check(o.Functions, o.rules()))
	o.Functions.EmulatorHost, o.Functions.AuthEmulatorHost = "", "" // Start sets them
	return errors.Join(append(errs, o.Functions.Validate())...)
}

func (o Options) validatePorts() (errs []error) {
	taken := map[int]string{}
	for _, p := range []struct {
		name string
		port int
	}{{"firestore port", o.FirestorePort}, {"auth port", o.AuthPort}, {"functions port", o.FunctionsPort}, {"web port", o.WebPort}} {
		if p.port < 0 || p.port > 65535 {
			errs = append(errs, fmt.Errorf("%s %d: must be 0 (a free one) to 65535", p.name, p.port))
		}
		if other := taken[p.port]; p.port != 0 && other != "" {
			errs = append(errs, fmt.Errorf("%s and %s are both %d: they must differ", other, p.name, p.port))
		}
		taken[p.port] = p.name
	}
	return errs
}
