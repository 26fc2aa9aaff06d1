package deploy

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

// runtime is what the functions are built for.
const runtime = "go126"

// labelName is the label that has the deployment's mark. A function has two more: the digests
// of what was uploaded, and of the command that deployed it.
const labelName = "relationindex"

// function is a function of a deployment.
type function struct {
	ID, Name string // Name is the full one
	Flags    []string
	Invoker  binding
	Public   bool
}

// functionOf returns a function as it is deployed.
//
// A crash while one is deployed leaves it as it was, or in a state other than
// ACTIVE, which the next deployment deploys over.
func (o Options) functionOf(t triggers.Trigger) function {
	id := o.function(t.Name)
	f := function{ID: id, Name: o.inRegion("functions", id), Flags: o.deployFlags(t), Public: t.Public}
	f.Invoker = o.invoker("services", id, "function "+id)
	if t.Public {
		f.Invoker.Member, f.Invoker.Who = "allUsers", "everybody: clients prove themselves by Firebase ID tokens"
	}
	return f
}

// functions returns the functions of a table, without Feed if NoFeed is set.
func (o Options) functions(table []triggers.Trigger) (all []function) {
	for _, t := range table {
		if t.Name != triggers.Feed || !o.NoFeed {
			all = append(all, o.functionOf(t))
		}
	}
	return all
}

// deployFlags returns the flags that a function is deployed with, but for its labels.
func (o Options) deployFlags(t triggers.Trigger) []string {
	flags := []string{
		"--runtime=" + runtime, "--source=" + cmp.Or(o.Module, "."), "--entry-point=" + t.Name,
	}
	switch {
	case t.HTTP() && t.Public:
		// It is opened by a binding of its own: the flag for that would fail the
		// deployment where an organization allows no such binding.
		flags = append(flags, "--trigger-http")
	case t.HTTP():
		flags = append(flags, "--trigger-http", "--no-allow-unauthenticated")
	default:
		flags = append(flags,
			"--trigger-event-filters=type="+t.EventType, "--trigger-event-filters=database="+o.Config.DatabaseID(),
			"--trigger-event-filters-path-pattern=document="+t.Document,
			"--trigger-location="+o.Location, "--trigger-service-account="+o.account(accountTriggers),
			"--retry", // without it an event whose handler fails is dropped
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

// readsKey returns the flag by which a function or a job gets the key of tombstones.
func (o Options) readsKey() string {
	return "--set-secrets=" + config.VariableTombstones + "=" + o.secret() + ":" + config.TombstoneVersion
}

// memoryPercent is how much of an instance's memory Go gets: "leave an additional 5-10% of headroom to
// account for memory sources the Go runtime is unaware of" (go.dev/doc/gc-guide, Suggested uses).
const memoryPercent = 90

// environment returns a function's variables as gcloud takes a map: a comma between
// them, or another character that no value has, named first.
//
// GOMEMLIMIT makes Go collect garbage before Cloud Run ends the instance, and sets the budget of what
// work holds at once: see work.Budget.
func (o Options) environment(t triggers.Trigger) string {
	public := o.Config
	public.TombstoneKey, public.Deployed = "", "$"+varNow // of two deployments, the later one's configuration counts
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
