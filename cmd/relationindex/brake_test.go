package main

import (
	"testing"
	"time"
)

func TestBrake(t *testing.T) {
	t.Parallel()
	const project = "demo-brake"
	brake := func(args ...string) []string { return append(append([]string{"brake"}, args...), "--project", project) }
	relationindex(t, brake()...).Want(t, exitOK, "the brake is off\nno job waits for it\n")
	relationindex(t, brake("half")...).Want(t, exitUsage, `brake "half": must be on or off`)
	relationindex(t, brake("on")...).Want(t, exitOK, "the brake is on since 20", "no job waits for it\n")
	write(t, client(t, project), map[string]map[string]any{
		"_functions/send:p1~mail": {"kind": "sending.post", "state": "queued", "waits": true, "updatedAt": time.Now()},
		"users/ada":               {"name": "x"},
	})
	relationindex(t, brake("on")...).Want(t, exitOK, "the brake is on since 20", "of sending.post, 1 job waits\n")
	relationindex(t, brake("--json")...).Want(t, exitOK, `{"on":true,"since":"20`, `"waiting":{"sending.post":1}}`)
	relationindex(t, "jobs", "list", "--project", project).Want(t, exitOK, "note: the brake is on since 20", "waits while the brake is on")
	relationindex(t, "verify", "--project", project).Want(t, exitFailed, "_functions/send:p1~mail: job waits")
	relationindex(t, "verify", "--sample", "--project", project).Want(t, exitFailed, "the brake is on: nothing was checked")
	for _, bringing := range [][]string{{"repair"}, {"repair-timelines"}} {
		relationindex(t, append(bringing, "--project", project)...).Want(t, exitUsage, "the brake is on since 20", "or add --despite-brake")
	}
	relationindex(t, "repair", "--dry-run", "--project", project).Want(t, exitFailed, "note: the brake is on")
	relationindex(t, "repair", "--despite-brake", "--project", project).Want(t, exitFailed, "note: the brake is on")
	relationindex(t, brake("off")...).Want(t, exitOK, "the brake is off\nof sending.post, 1 job waits\nSweep starts them within a minute\n")

	relationindex(t, "verify", "--sample", "--project", project).Want(t, exitOK,
		"checked 1 account with ", "round 1 has checked 1 of 1 account, and ends\na round takes about ", "verify: 0 violations")
	relationindex(t, "verify", "--sample", "--repair", "--json", "--project", project).Want(t, exitOK, `"message":"sample","sampled":{"accounts":1,`, `"round":{"round":2,`)
	relationindex(t, "verify", "--reads", "9", "--project", project).Want(t, exitUsage, "--reads is for --sample")
	relationindex(t, "verify", "--sample", "--reads", "0", "--project", project).Want(t, exitUsage, "--reads 0: must be at least 1")
	relationindex(t, "verify", "--sample", "--author", "ada", "--project", project).Want(t, exitUsage, "--sample and --author exclude each other")
}
