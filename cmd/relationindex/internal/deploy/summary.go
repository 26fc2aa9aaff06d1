package deploy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/internal/console"
)

// Prices of a deployment that nobody uses, in USD a month (cloud.google.com, pages pricing of Cloud Scheduler, of Secret Manager
// and of Observability, read November 2026). A billing account has three jobs and six versions of secrets free of charge. Alerts
// are free until September 2027; then each metric that a condition reads has a price.
const (
	priceJob    = 0.10
	priceSecret = 0.06
	priceMetric = 0.35
)

// Minutes of a deployment. Each function is a build of its own, of two to three minutes. Google may take ten minutes to know a new
// role, so a first deployment may wait twice.
const (
	minutesFunction = 2.5
	minutesOther    = 5
	minutesWait     = 20
)

// sweeps is how often Sweep is called in a month.
const sweeps = 30 * 24 * 60

// mayBuild lists the regions in which Cloud Build builds for every project: others may refuse a new project, "due to quota
// restrictions" ("Cloud Build locations", Restricted regions, read November 2026).
var mayBuild = []string{"us-central1", "us-west2", "europe-west1", "asia-east1", "australia-southeast1", "southamerica-east1"}

// Summary describes in a few lines the resources that a plan makes or removes.
func (p *Plan) Summary() string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	o := p.options
	say("Deployment %s, project %s, database %s", o.Name, o.Project, o.Config.DatabaseID())
	if p.removes {
		say("  removes    its functions, scheduler's job, dashboard, alerts, metrics, roles and service accounts in %s, as far as they are there", o.Region)
		return out.String()
	}
	var functions, accounts []string
	for _, f := range p.functions {
		functions = append(functions, f.ID)
	}
	for _, a := range o.serviceAccounts() {
		accounts = append(accounts, o.Name+"-"+a.which)
	}
	n := float64(len(functions))
	say("  functions  %d in %s: %s", len(functions), o.Region, strings.Join(functions, ", "))
	if o.Module != "" {
		say("  built of   %s", o.Module)
	}
	if !slices.Contains(mayBuild, o.Region) {
		say("  builds     Cloud Build may refuse %s to a new project, \"due to quota restrictions\": then ask Google's support for it, or choose a region of the database among %s", o.Region, strings.Join(mayBuild, ", "))
	}
	say("  accounts   %d service accounts: %s", len(accounts), strings.Join(accounts, ", "))
	notified := "shown in the console only, without --notify"
	if len(o.Notify) > 0 {
		notified = "sent to " + console.Counted(len(o.Notify), "channel")
	}
	say("  alerts     %d, %s", p.alerts, notified)
	say("  rules      %s", p.rulesTitle())
	say("  time       %d builds, about %.0f minutes the first time, and up to %d more while Google spreads new roles; later, what has changed", len(functions), minutesFunction*n+minutesOther, minutesWait)
	say("  idle       no instance runs. %s USD a month: a job of the scheduler, and a secret. Sweep's %s calls a month are within Cloud Run's free tier, if the project has nothing else",
		console.Dollars(priceJob+priceSecret), console.Grouped(sweeps))
	say("             alerts are free until September 2027; then the %s that they read cost %s USD a month, and 0.50 USD a million points", console.Counted(p.metrics, "metric"), console.Dollars(priceMetric*float64(p.metrics)))
	return out.String()
}

// rulesTitle describes the rules of a deployment.
func (p *Plan) rulesTitle() string {
	if p.options.RulesKind == KeepRules {
		return "those of the database stay, unseen"
	}
	title := cmp.Or(p.options.RulesKind, StandardRules)
	if p.options.Pace {
		title += ", with a pace: clients that write no rates are rejected"
	}
	return title + ", if the database has none"
}
