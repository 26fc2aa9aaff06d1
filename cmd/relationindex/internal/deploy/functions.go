package deploy

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

// runtime is the runtime that the functions are built for.
const runtime = "go126"

// labelName is the label that has the deployment's mark. A function has two more labels: the digest
// of the uploaded files, and the digest of the command that deployed the function.
const labelName = "relationindex"

// function is a function of a deployment.
type function struct {
	ID, Name string // Name is the full resource name
	Flags    []string
	Invoker  binding
	Public   bool
}

// functionOf returns the function to deploy for a trigger.
//
// A crash while a function is deployed leaves the function unchanged, or in a state
// other than ACTIVE. The next deployment then deploys the function again.
func (o Options) functionOf(t triggers.Trigger) function {
	id := o.function(t.Name)
	f := function{ID: id, Name: o.inRegion("functions", id), Flags: o.deployFlags(t), Public: t.Public}
	f.Invoker = o.invoker("services", id, "function "+id)
	if t.Public {
		f.Invoker.Member, f.Invoker.Who = "allUsers", "everybody: clients prove themselves by Firebase ID tokens"
	}
	return f
}

// functions returns the functions for a table of triggers, without Feed if NoFeed is set.
func (o Options) functions(table []triggers.Trigger) (all []function) {
	for _, t := range table {
		if t.Name != triggers.Feed || !o.NoFeed {
			all = append(all, o.functionOf(t))
		}
	}
	return all
}

// deployFlags returns the flags that a function is deployed with, except its labels.
func (o Options) deployFlags(t triggers.Trigger) []string {
	flags := []string{
		"--runtime=" + runtime, "--source=" + cmp.Or(o.Module, "."), "--entry-point=" + t.Name,
	}
	switch {
	case t.HTTP() && t.Public:
		// A separate binding makes the function public. In an organization that allows no
		// such binding, the flag for a public function would fail the deployment.
		flags = append(flags, "--trigger-http")
	case t.HTTP():
		flags = append(flags, "--trigger-http", "--no-allow-unauthenticated")
	default:
		flags = append(flags,
			"--trigger-event-filters=type="+t.EventType, "--trigger-event-filters=database="+o.Config.DatabaseID(),
			"--trigger-event-filters-path-pattern=document="+t.Document,
			"--trigger-location="+o.Location, "--trigger-service-account="+o.account(accountTriggers),
			"--retry", // without this flag, an event is dropped if its handler fails
		)
	}
	if config.NeedsTombstones(t.Name) {
		flags = append(flags, o.readsKey())
	}
	return append(flags,
		fmt.Sprintf("--timeout=%ds", int(t.Timeout.Seconds())),
		fmt.Sprintf("--memory=%dMi", t.MemoryMiB),
		"--cpu="+strconv.FormatFloat(float64(t.MilliCPU)/1000, 'f', -1, 64),
		fmt.Sprintf("--concurrency=%d", t.Concurrency),
		"--min-instances=0", fmt.Sprintf("--max-instances=%d", t.MaxInstances),
		"--service-account="+o.account(string(t.Account)),
		"--build-service-account="+o.buildAccount(),
		"--set-env-vars="+o.environment(t),
	)
}

func (o Options) secret() string { return config.TombstoneSecret(o.Config) }

// readsKey returns the flag that gives a function or a job the key of tombstones.
func (o Options) readsKey() string {
	return "--set-secrets=" + config.VariableTombstones + "=" + o.secret() + ":" + config.TombstoneVersion
}

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
	variables := append(config.Variables(public), fmt.Sprintf("GOMEMLIMIT=%dMiB", t.MemoryMiB*memoryPercent/100))
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
