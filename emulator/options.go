package emulator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"example.com/relationindex/emulator/push"
	"example.com/relationindex/emulator/siteguard"
)

// Options configure an emulator. The zero value is the default: free ports, a log file in
// [os.TempDir], no rules, and every event delivered once and at once.
type Options struct {
	// FirestorePort is the TCP port of the emulator on 127.0.0.1; 0 takes a free one.
	FirestorePort int

	// BrokerPort is the TCP port of the broker on 127.0.0.1; 0 takes a free one.
	BrokerPort int

	// Guard decides which requests the broker answers. The emulator itself answers all requests. Package
	// front lets in only those that pass a guard.
	Guard siteguard.Guard

	// LogFile is the path for the emulator's output; an existing file is emptied. "": a
	// new file in [os.TempDir]. Nothing removes it; see [Emulator.LogFile].
	LogFile string

	// RulesFile is a firestore.rules file; "": every client may do everything.
	RulesFile string

	// JavaArgs are more flags for the Java virtual machine, such as "-Xmx4g". Each begins with "-".
	JavaArgs []string

	// Logger gets failed deliveries, rejected events and a crash of the emulator; nil:
	// [slog.Default].
	Logger *slog.Logger

	// Busy reports background work that is not an event, such as an unfinished job
	// document: a few words, or "" for none. [Broker.Idle] calls it several times for each
	// database, by its [Name]. It must be safe for concurrent use. nil: no such work.
	Busy func(ctx context.Context, name string) (what string, err error)

	// Plan returns the deliveries of an event. Two entries deliver it twice; different
	// delays reorder events. nil, or an empty plan: once and at once. A plan loses no event,
	// unless it says Lose, or Push.Retention ends before an attempt succeeds. Plan is called once for each
	// event and trigger, before the emulator sends the next event: it must be quick, and
	// safe for concurrent use. Package chaos makes one.
	Plan func(e Event) []Attempt

	// Observe is called with each event of a trigger before its delivery, in the order of
	// the emulator. The emulator sends the next event after Observe returns: it must be
	// quick. It may call the broker, except methods that wait for events. nil: none.
	Observe func(e Event)

	// Push configures deliveries to functions; [push.Production] has production's values.
	Push push.Options
}

// Attempt is one planned delivery of an event. The zero value delivers at once.
type Attempt struct {
	// After is the wait from the event until the first attempt.
	After time.Duration

	// Drop makes the first attempt fail before it reaches the function. The event is
	// delivered again after the back-off.
	Drop bool

	// Lose means that the event is never delivered, as if it had expired.
	Lose bool
}

// Validate joins an error for each rule that o breaks. Each names the option, the value
// and the rule. [Start] calls it.
func (o Options) Validate() error {
	var errs []error
	for name, port := range map[string]int{"FirestorePort": o.FirestorePort, "BrokerPort": o.BrokerPort} {
		if port < 0 || port > 65535 {
			errs = append(errs, fmt.Errorf("%s = %d: must be 0 (a free one) to 65535", name, port))
		}
	}
	if o.FirestorePort != 0 && o.FirestorePort == o.BrokerPort {
		errs = append(errs, fmt.Errorf("FirestorePort and BrokerPort = %d: must differ", o.FirestorePort))
	}
	if o.RulesFile != "" {
		if info, err := os.Stat(o.RulesFile); err != nil {
			errs = append(errs, fmt.Errorf("RulesFile: %w", err))
		} else if !info.Mode().IsRegular() {
			errs = append(errs, fmt.Errorf("RulesFile = %q: must be a file", o.RulesFile))
		}
	}
	for _, arg := range o.JavaArgs {
		if !strings.HasPrefix(arg, "-") {
			errs = append(errs, fmt.Errorf("JavaArgs has %q: each flag must begin with -", arg))
		}
	}
	return errors.Join(append(errs, o.Push.Validate())...)
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Busy == nil {
		o.Busy = func(context.Context, string) (string, error) { return "", nil }
	}
	if o.Plan == nil {
		o.Plan = func(Event) []Attempt { return nil }
	}
	if o.Observe == nil {
		o.Observe = func(Event) {}
	}
	o.Push = o.Push.WithDefaults()
	return o
}
