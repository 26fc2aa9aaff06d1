package deploy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
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
func (p *Plan) functions(o Options, table []triggers.Trigger) {
	for _, t := range table {
		name := o.function(t.Name)
		is := tool.Exactly("name", fmt.Sprintf("projects/%s/locations/%s/functions/%s", o.Project, o.Region, name))
		if t.Name == triggers.Feed && o.NoFeed { // one of an earlier deployment is open to everybody
			p.gone("no function "+name, "", tool.Gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region, tool.Filter(is, tool.Exactly("labels."+labelName, o.mark())), "--format=value(name.basename())"),
				tool.Gcloud("functions", "delete", name, "--gen2", o.project(), o.region()))
			continue
		}
		title, flags := "function "+name, deployFlags(o, t)
		sum := digest(flags...)
		labels := fmt.Sprintf("--update-labels=%s=%s,%s=$%s,%s=%s", labelName, o.mark(), labelSource, tool.VarSource, labelFlags, sum)
		fields := fmt.Sprintf("labels.%s,labels.%s,labels.%s,state", labelName, labelSource, labelFlags)
		want := fmt.Sprintf("%s $%s %s ACTIVE", o.mark(), tool.VarSource, sum)
		look := tool.Gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region,
			tool.Filter(is), `--format=value[separator=" "](`+fields+")")
		p.add(Step{
			Title:  title,
			Look:   &look,
			Want:   want,
			Ours:   o.mark() + " ",
			Create: []tool.Command{tool.Gcloud(slices.Concat([]string{"functions", "deploy", name}, flags, []string{labels})...)},
			Undo:   []tool.Command{tool.Gcloud("functions", "delete", name, "--gen2", o.project(), o.region())},
		})
		if t.Public {
			p.invoker(o, "services", title, name, "allUsers", "everybody: clients prove themselves by Firebase ID tokens")
		} else {
			p.invoker(o, "services", title, name, "serviceAccount:"+o.account(accountTriggers), o.account(accountTriggers))
			p.closed(o, title, name)
		}
	}
}

// deployFlags are the flags that a function is deployed with, but for its labels.
func deployFlags(o Options, t triggers.Trigger) []string {
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
		flags = append(flags, "--set-secrets="+config.VariableTombstones+"="+o.secret()+":"+keyVersion)
	}
	return append(flags,
		fmt.Sprintf("--timeout=%ds", int(t.Timeout.Seconds())),
		fmt.Sprintf("--memory=%dMi", t.MemoryMiB),
		"--cpu="+cpu(t.MilliCPU),
		fmt.Sprintf("--concurrency=%d", t.Concurrency),
		"--min-instances=0", fmt.Sprintf("--max-instances=%d", t.MaxInstances),
		"--service-account="+o.account(string(t.Account)),
		"--build-service-account=projects/"+o.Project+"/serviceAccounts/"+o.account(accountBuild),
		"--set-env-vars="+environment(o, t),
	)
}

// cpu is a number of CPUs as gcloud takes it: 1, 0.167.
func cpu(milli int) string {
	return strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64)
}

// memoryPercent is how much of an instance's memory Go gets: "leave an additional 5-10% of headroom to
// account for memory sources the Go runtime is unaware of" (go.dev/doc/gc-guide, Suggested uses).
const memoryPercent = 90

// environment is a function's variables as gcloud takes a map: a comma between
// them, or another character that no value has, named first.
//
// GOMEMLIMIT makes Go collect garbage before Cloud Run ends the instance, and sets the budget of what
// work holds at once: see work.Budget.
func environment(o Options, t triggers.Trigger) string {
	public := o.Config
	public.TombstoneKey, public.Deployed = "", "$"+tool.VarNow // of two deployments, the later one's configuration counts
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

// sweep adds the scheduler's job that calls Sweep every minute.
//
// A crash before it leaves jobs to the redelivery of their events, which lasts
// 24 hours; the next deployment makes it.
func (p *Plan) sweep(o Options) {
	function := o.function(triggers.Sweep)
	url := tool.Gcloud("functions", "describe", function, "--gen2", o.project(), o.region(), "--format=value(serviceConfig.uri)").Setting(tool.VarSweep)
	p.schedule(o, o.Name+"-sweep", "calls Sweep every minute", "wakes jobs whose event was lost or whose step died", []string{
		"--schedule=* * * * *", "--time-zone=Etc/UTC", "--http-method=post",
		"--uri=$" + tool.VarSweep, "--oidc-token-audience=$" + tool.VarSweep,
		"--oidc-service-account-email=" + o.account(accountTriggers),
		fmt.Sprintf("--attempt-deadline=%ds", int(triggers.SweepTimeout.Seconds())),
		"--max-retry-attempts=3", "--min-backoff=5s", "--max-backoff=20s", // then comes the next minute
	}, url)
}

// schedule adds a job of the scheduler: what it does, for the title, and why. first are commands that its flags need.
func (p *Plan) schedule(o Options, job, does, why string, flags []string, first ...tool.Command) {
	flags = append([]string{o.project(), "--location=" + o.Region}, flags...)
	description := o.marked() + why + "; " + digest(flags...)
	flags = append(flags, "--description="+description)
	look := tool.Gcloud("scheduler", "jobs", "list", o.project(), "--location="+o.Region,
		tool.Filter(tool.Exactly("name", fmt.Sprintf("projects/%s/locations/%s/jobs/%s", o.Project, o.Region, job))), "--format=value(description)")
	p.add(Step{
		Title:  "scheduler job " + job + ": " + does,
		Look:   &look,
		Want:   description,
		Ours:   o.marked(),
		Create: append(slices.Clone(first), tool.Gcloud(append([]string{"scheduler", "jobs", "create", "http", job}, flags...)...)),
		Update: append(slices.Clone(first), tool.Gcloud(append([]string{"scheduler", "jobs", "update", "http", job}, flags...)...)),
		Undo:   []tool.Command{tool.Gcloud("scheduler", "jobs", "delete", job, o.project(), "--location="+o.Region)},
	})
}
