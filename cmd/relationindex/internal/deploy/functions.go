package deploy

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/envfile"
)

// runtime is the runtime that the functions are built for.
const runtime = "go126"

// function is a function of a deployment.
type function struct {
	triggers.Trigger
	ID string // the name of the function and of its Cloud Run service
	// Instances is the most instances.
	Instances int
}

// functions returns the functions for a table of triggers, without Feed if NoFeed is set.
func (o Options) functions(table []triggers.Trigger) (all []function) {
	for _, t := range table {
		if t.Name != triggers.Feed || !o.NoFeed {
			f := function{t, o.function(t.Name), t.MaxInstances}
			if o.MaxInstances > 0 {
				f.Instances = min(f.Instances, o.MaxInstances)
			}
			all = append(all, f)
		}
	}
	return all
}

// flags returns the flags that a function is deployed with, except its labels.
func (o Options) flags(f function) []string {
	flags := []string{"--runtime=" + runtime, "--source=" + cmp.Or(o.Module, "."), "--entry-point=" + f.Name}
	switch {
	case f.HTTP() && f.Public:
		// A later step opens the function. In an organization that allows no public function, the flag for one would
		// fail the deployment here.
		flags = append(flags, "--trigger-http")
	case f.HTTP():
		flags = append(flags, "--trigger-http", "--no-allow-unauthenticated")
	default:
		flags = append(flags,
			"--trigger-event-filters=type="+f.EventType, "--trigger-event-filters=database="+o.Config.DatabaseID(),
			"--trigger-event-filters-path-pattern=document="+f.Document,
			"--trigger-location="+o.Location, "--trigger-service-account="+o.email(accountTriggers),
			"--retry", // without this flag, an event is dropped if its handler fails
		)
	}
	if config.NeedsTombstones(f.Name) {
		flags = append(flags, "--set-secrets="+config.VariableTombstones+"="+o.secret()+":"+config.TombstoneVersion)
	}
	return append(flags,
		fmt.Sprintf("--timeout=%ds", int(f.Timeout.Seconds())),
		fmt.Sprintf("--memory=%dMi", f.MemoryMiB),
		"--cpu="+strconv.FormatFloat(float64(f.MilliCPU)/1000, 'f', -1, 64),
		fmt.Sprintf("--concurrency=%d", f.Concurrency),
		"--min-instances=0", fmt.Sprintf("--max-instances=%d", f.Instances),
		"--service-account="+o.email(string(f.Account)),
		"--build-service-account="+o.buildAccount(),
		"--set-env-vars="+o.environment(f.Trigger),
	)
}

func (o Options) secret() string { return config.TombstoneSecret(o.Config) }

// memoryPercent is the share of an instance's memory that Go gets: "leave an additional 5-10% of headroom to
// account for memory sources the Go runtime is unaware of" (go.dev/doc/gc-guide, Suggested uses).
const memoryPercent = 90

// environment returns a function's variables in gcloud's syntax for a map. A comma separates
// them. If a value has a comma, the result begins with another delimiter that no value has.
//
// GOMEMLIMIT makes Go collect garbage before Cloud Run ends the instance. It also sets the budget of
// the memory that work holds at once: see work.Budget.
func (o Options) environment(t triggers.Trigger) string {
	public := o.Config
	public.TombstoneKey, public.Deployed = "", "$"+varNow // a database keeps the configuration of the later deployment
	variables := append(envfile.Variables(public), fmt.Sprintf("GOMEMLIMIT=%dMiB", t.MemoryMiB*memoryPercent/100))
	all := strings.Join(variables, "")
	if !strings.Contains(all, ",") {
		return strings.Join(variables, ",")
	}
	for _, delimiter := range []string{"|", ";", "~", "@@", "%%", "!!"} {
		if !strings.Contains(all, delimiter) {
			return "^" + delimiter + "^" + strings.Join(variables, delimiter)
		}
	}
	return "^<|>^" + strings.Join(variables, "<|>")
}
