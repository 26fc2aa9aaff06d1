package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/chunker"
	"example.com/relationindex/cmd/relationindex/internal/jobs/jobstest"
	"example.com/relationindex/testkit/program"
)

// putJobs writes jobs to a project that has no functions: they stay as they are.
func putJobs(t *testing.T, project string, jobs ...chunker.Job) {
	t.Helper()
	c := client(t, project)
	for _, job := range jobs {
		if _, err := c.Doc("_functions/"+job.ID).Set(t.Context(), job); err != nil {
			t.Fatal(err)
		}
	}
}

// storedJob is a job as it is in the database.
func storedJob(t *testing.T, project, id string) chunker.Job {
	t.Helper()
	job, err := chunker.New(client(t, project), chunker.Options{}).Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return job
}

func fieldsOf(t *testing.T, object string) map[string]any {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatal(err)
	}
	return fields
}

func TestJobsList(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-list"
	putJobs(t, project, jobstest.Jobs(time.Now())...)
	for name, tt := range map[string]struct {
		args []string
		want []string
		says string
	}{
		"the ones written last, newest first": {nil, []string{"a-queued", "b-running", "p~2", "p~1", "c-done", "e-canceled", "d-failed"}, ""},
		"a state":                             {[]string{"--state", "failed"}, []string{"d-failed", "p~1"}, ""},
		"two states":                          {[]string{"--state", "canceled", "--state", "done"}, []string{"c-done", "e-canceled"}, ""},
		"two states with a comma":             {[]string{"--state", "canceled,done,canceled"}, []string{"c-done", "e-canceled"}, ""},
		"the first of a state":                {[]string{"--state", "failed", "--limit", "1"}, []string{"d-failed"}, "there are more than these 1"},
		"as many as there are":                {[]string{"--state", "failed", "--limit", "2"}, []string{"d-failed", "p~1"}, ""},
		"those of a post":                     {[]string{"--prefix", "p~"}, []string{"p~1", "p~2"}, ""},
		"the first of a post":                 {[]string{"--prefix", "p~", "--limit", "1"}, []string{"p~1"}, "there are more than these 1"},
		"the one written last":                {[]string{"--limit", "1"}, []string{"a-queued"}, "there are more than these 1"},
		"none":                                {[]string{"--project", "demo-jobs-none"}, []string{}, "no jobs\n"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"jobs", "list", "--project", project}, tt.args...)
			asTable, asJSON := relationindex(t, args...), relationindex(t, append(args, "--json")...)
			for how, out := range map[string]program.Outcome{"table": asTable, "JSON": asJSON} {
				if out.Want(t, exitOK, tt.says); (said(out) == "") != (tt.says == "") {
					t.Errorf("with the %s it says %q on standard error", how, said(out))
				}
			}
			inTable, inJSON := []string{}, []string{}
			for line := range strings.Lines(asTable.Stdout) {
				inTable = append(inTable, strings.Fields(line)[0])
			}
			if len(tt.want) > 0 && inTable[0] == "ID" {
				inTable = inTable[1:]
			}
			var objects []struct{ ID string }
			if err := json.Unmarshal([]byte(asJSON.Stdout), &objects); err != nil {
				t.Fatalf("%q: %v", asJSON.Stdout, err)
			}
			for _, o := range objects {
				inJSON = append(inJSON, o.ID)
			}
			if diff := cmp.Diff(tt.want, inTable); diff != "" {
				t.Errorf("the table (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, inJSON); diff != "" {
				t.Errorf("the array (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJobsShow(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-show"
	putJobs(t, project, jobstest.Jobs(time.Now())...)
	show := func(args ...string) program.Outcome {
		return relationindex(t, append([]string{"jobs", "show", "--project", project}, args...)...)
	}
	show("b-running").Want(t, exitOK, "b-running\n", "held by H for another ", "author=alice index=00001\n")
	show("d-failed").Want(t, exitOK, "DataLoss: relation p1_00001:\n")
	show("none").Want(t, exitFailed, `there is no job "none"`, "jobs list")

	if fields := fieldsOf(t, show("p~1", "--json").Stdout); fields["id"] != "p~1" || fields["done"] != 3.0 {
		t.Errorf("the object is %v", fields)
	}
	// An invalid document in the collection is shown too.
	if _, err := client(t, project).Doc("_functions/odd").Set(t.Context(), map[string]any{"state": "asleep", "kind": "dream", "updatedAt": time.Now()}); err != nil {
		t.Fatal(err)
	}
	show("odd").Want(t, exitOK, "dream\n", "failed\n", `state "asleep" is not queued`)
}

// The commands show a job of a newer release as such, and do not change it.
func TestJobsOfANewerRelease(t *testing.T) {
	t.Parallel()
	const project, says = "demo-jobs-newer", "written by a newer release"
	fields := map[string]any{"kind": "dream", "state": "asleep", "schema": chunker.Schema + 1, "updatedAt": time.Now(), "args": 7}
	ref := client(t, project).Doc("_functions/later")
	written, err := ref.Set(t.Context(), fields)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) program.Outcome { return relationindex(t, append(args, "--project", project)...) }
	run("jobs", "list").Want(t, exitOK, "later", "asleep", says)
	run("jobs", "show", "later").Want(t, exitOK, "dream\n", "asleep\n", says)
	if newer := fieldsOf(t, run("jobs", "show", "later", "--json").Stdout)["newer"]; newer != true {
		t.Errorf("newer is %v", newer)
	}
	run("jobs", "retry", "later").Want(t, exitFailed, says, "jobs retry later")
	run("jobs", "cancel", "later").Want(t, exitFailed, says, "jobs cancel later")
	if doc, err := ref.Get(t.Context()); err != nil || !doc.UpdateTime.Equal(written.UpdateTime) {
		t.Errorf("the document was written: %v, %v", doc.Data(), err)
	}
}

func TestJobsRetryAndCancelReportResult(t *testing.T) {
	t.Parallel()
	const project = "demo-jobs-control"
	putJobs(t, project, jobstest.Jobs(time.Now())...)
	for _, tt := range []struct { // in this order
		args  string
		code  int
		says  []string
		state chunker.State
	}{
		{"retry a-queued", exitFailed, []string{"under way and continues by itself", "relationindex jobs wait a-queued --project demo-jobs-control\n", "cancel the job, then retry it"}, chunker.Queued},
		{"cancel a-queued", exitOK, []string{`job "a-queued" is canceled after 0 documents.`, "relationindex jobs retry a-queued --project demo-jobs-control\n"}, chunker.Canceled},
		{"cancel a-queued", exitFailed, []string{"has already ended", "relationindex jobs show a-queued --project demo-jobs-control\n"}, chunker.Canceled},
		{"retry a-queued", exitOK, []string{`job "a-queued" is queued: the functions go on after 0 documents.`, "relationindex jobs wait a-queued --project demo-jobs-control\n"}, chunker.Queued},
		{"cancel b-running", exitOK, []string{"canceled after 40 of 120 documents", "ends with its page"}, chunker.Canceled},
		{"retry c-done", exitFailed, []string{"the next change"}, chunker.Done},
		{"cancel c-done", exitFailed, []string{"has already ended"}, chunker.Done},
		{"retry d-failed", exitOK, []string{"go on after 7 of 9 documents"}, chunker.Queued},
	} {
		t.Run(tt.args, func(t *testing.T) {
			words := strings.Fields(tt.args)
			out := relationindex(t, "jobs", words[0], words[1], "--project", project)
			out.Want(t, tt.code, tt.says...)
			if (out.Stdout == "") != (tt.code != exitOK) {
				t.Errorf("on standard output it says %q", out.Stdout)
			}
			if job := storedJob(t, project, words[1]); job.State != tt.state {
				t.Errorf("the job is %s, want %s", job.State, tt.state)
			}
		})
	}
	relationindex(t, "jobs", "retry", "none", "--project", project).Want(t, exitFailed, `there is no job "none"`)
	relationindex(t, "jobs", "cancel", "none", "--project", project).Want(t, exitFailed, `there is no job "none"`)
}

func TestJobsRejectInvalidArguments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"show", "retry", "cancel", "wait"} {
		relationindex(t, "jobs", name, "a/b").Want(t, exitUsage, `job "a/b": strange id: it contains a slash`, fmt.Sprintf("jobs %s --help", name))
		relationindex(t, "jobs", name, "").Want(t, exitUsage, `job "": strange id: it is empty`)
		program.Run(t, nil, "jobs", name, "a").Want(t, exitUsage, "--project")
	}
	for _, name := range []string{"show", "retry", "cancel"} {
		relationindex(t, "jobs", name).Want(t, exitUsage, "1 arg")
		relationindex(t, "jobs", name, "a", "b").Want(t, exitUsage, "1 arg")
	}
	for says, args := range map[string][]string{
		"jobs: the command is incomplete": {},
		`jobs "stop"`:                     {"stop"},
		`unknown command "a"`:             {"list", "a"},
		`--state "asleep": must`:          {"list", "--state", "asleep"},
		`--state ""`:                      {"list", "--state", "done,"},
		"--prefix and --state":            {"list", "--state", "done", "--prefix", "p~"},
		"--limit 0: must":                 {"list", "--limit", "0"},
		"--limit 1001: must":              {"list", "--limit", "1001"},
		"--timeout 0s: must":              {"wait", "--timeout", "0s"},
		"--timeout -1s: must":             {"wait", "a", "--timeout", "-1s"},
		`"soon"`:                          {"wait", "--timeout", "soon"},
		"--json":                          {"wait", "--json"},
	} {
		out := relationindex(t, append([]string{"jobs"}, args...)...)
		if out.Want(t, exitUsage, says); out.Stdout != "" {
			t.Errorf("%v printed %q", args, out.Stdout)
		}
	}
}
