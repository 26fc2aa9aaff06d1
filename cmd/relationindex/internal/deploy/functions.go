package deploy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
)

// runtime is what the functions are built for.
const runtime = "go126"

// The labels of a function. Their values are the deployment's mark, the digest of
// what was uploaded, and the digest of the flags.
const (
	labelName   = "relationindex"
	labelSource = "relationindex-source"
	labelFlags  = "relationindex-flags"
)

// functions adds every function of the table, and who may call it.
//
// A crash while one is deployed leaves it as it was, or in a state other than
// ACTIVE, which the next deployment deploys over.
func (p *Plan) functions(table []triggers.Trigger) {
	o := p.options
	for _, t := range table {
		name := o.function(t.Name)
		if t.Name == triggers.Feed && o.NoFeed { // one of an earlier deployment is open to everybody
			list := o.listFunction(name, "--format=value(name.basename())", exactly("labels."+labelName, o.mark()))
			p.gone("no function "+name, list, o.deleteFunction("$"+varLine))
			continue
		}
		p.overview.functions = append(p.overview.functions, name)
		p.add(o.functionStep(t))
		title := "function " + name
		if t.Public {
			p.invoker("services", name, "allUsers", "everybody: clients prove themselves by Firebase ID tokens", title)
		} else {
			p.invoker("services", name, "serviceAccount:"+o.account(accountTriggers), o.account(accountTriggers), title)
			p.closed(name, title)
		}
	}
}

func (o Options) listFunction(name, format string, terms ...string) Command {
	is := exactly("name", fmt.Sprintf("projects/%s/locations/%s/functions/%s", o.Project, o.Region, name))
	return gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region, filter(append([]string{is}, terms...)...), format)
}

func (o Options) deleteFunction(name string) Command {
	return gcloud("functions", "delete", name, "--gen2", o.project(), o.region())
}

// functionStep returns the step that deploys a function.
func (o Options) functionStep(t triggers.Trigger) Step {
	name, flags := o.function(t.Name), o.deployFlags(t)
	sum := digest(flags...)
	labels := fmt.Sprintf("--update-labels=%s=%s,%s=$%s,%s=%s", labelName, o.mark(), labelSource, varSource, labelFlags, sum)
	return Step{
		Title:  "function " + name,
		Look:   o.listFunction(name, values("labels."+labelName, "labels."+labelSource, "labels."+labelFlags, "state")),
		Want:   fmt.Sprintf("%s $%s %s ACTIVE", o.mark(), varSource, sum),
		Ours:   o.mark() + " ",
		Create: []Command{gcloud(slices.Concat([]string{"functions", "deploy", name}, flags, []string{labels})...)},
		Undo:   []Command{o.deleteFunction(name)},
	}
}

// deployFlags returns the flags that a function is deployed with, but for its labels.
func (o Options) deployFlags(t triggers.Trigger) []string {
	flags := []string{
		"--gen2", o.project(), o.region(),
		"--runtime=" + runtime, "--source=.", "--entry-point=" + t.Name,
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
	variables := append(public.Variables(), fmt.Sprintf("GOMEMLIMIT=%dMiB", t.MemoryMiB*memoryPercent/100))
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
