package deploy

import (
	"fmt"
	"slices"

	"example.com/relationindex/functions/triggers"
)

// sweep adds the scheduler's job that calls Sweep every minute.
//
// A crash before it leaves jobs to the redelivery of their events, which lasts
// 24 hours; the next deployment makes it.
func (p *Plan) sweep() {
	o := p.options
	url := gcloud("functions", "describe", o.function(triggers.Sweep), "--gen2", o.project(), o.region(), "--format=value(serviceConfig.uri)")
	p.schedule(o.Name+"-sweep", "calls Sweep every minute", "wakes jobs whose event was lost or whose step died", url, []string{
		"--schedule=* * * * *", "--time-zone=Etc/UTC", "--http-method=post",
		"--uri=$" + varLine, "--oidc-token-audience=$" + varLine,
		"--oidc-service-account-email=" + o.account(accountTriggers),
		fmt.Sprintf("--attempt-deadline=%ds", int(triggers.SweepTimeout.Seconds())),
		"--max-retry-attempts=3", "--min-backoff=5s", "--max-backoff=20s", // then comes the next minute
	})
}

// schedule adds a job of the scheduler: what it does, for the title, and why. $LINE in its
// flags is what each prints, unless that is no command.
func (p *Plan) schedule(job, does, why string, each Command, flags []string) {
	o := p.options
	location := "--location=" + o.Region
	flags = append([]string{o.project(), location}, flags...)
	description := o.marked() + why + "; " + digest(flags...)
	change := func(verb string) []Command {
		args := slices.Concat([]string{"scheduler", "jobs", verb, "http", job}, flags, []string{"--description=" + description})
		return []Command{gcloud(args...).each(each)}
	}
	is := exactly("name", fmt.Sprintf("projects/%s/locations/%s/jobs/%s", o.Project, o.Region, job))
	p.overview.scheduled++
	p.add(Step{
		Title: "scheduler job " + job + ": " + does, Want: description, Ours: o.marked(),
		Look:   gcloud("scheduler", "jobs", "list", o.project(), location, filter(is), "--format=value(description)"),
		Create: change("create"), Update: change("update"),
		Undo: []Command{gcloud("scheduler", "jobs", "delete", job, o.project(), location)},
	})
}
