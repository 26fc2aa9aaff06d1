package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/oasdiff/yaml"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

// workflows is the folder with the example of a workflow, and what it deploys.
const workflows = "../../examples/workflows"

// job is a job of a workflow of GitHub Actions.
type job struct {
	If, Needs, Environment string
	Permissions, Env       map[string]string
	Steps                  []struct{ Uses, Run string }
}

// scripts are the commands of a job that deploy.
func (j job) scripts() []string {
	var out []string
	for _, step := range j.Steps {
		if strings.Contains(step.Run, "scripts/deploy") {
			out = append(out, step.Run)
		}
	}
	return out
}

func jobsOfTheWorkflow(t *testing.T) map[string]job {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(workflows, "deploy.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Permissions map[string]string
		Jobs        map[string]job
	}
	if _, err := yaml.Unmarshal(text, &file, yaml.DecodeOpts{}); err != nil {
		t.Fatal(err)
	}
	if len(file.Permissions) != 1 || file.Permissions["contents"] != "read" {
		t.Errorf("without permissions of its own a job has %v", file.Permissions)
	}
	return file.Jobs
}

// A pull request has no credentials and changes nothing, main deploys staging, and
// production comes after it, in an environment that may want an approval.
func TestWorkflow(t *testing.T) {
	t.Parallel()
	jobs := jobsOfTheWorkflow(t)
	preview := jobs["preview"]
	if want := []string{"scripts/deploy --dry-run $(cat envs/${{ matrix.environment }}/flags)"}; !slices.Equal(preview.scripts(), want) || preview.Permissions != nil || preview.If != "github.event_name == 'pull_request'" {
		t.Errorf("a pull request runs %+v", preview)
	}
	if len(jobs) != 3 || jobs["staging"].If != "github.event_name == 'push'" || jobs["production"].Needs != "staging" {
		t.Errorf("the jobs are %+v", jobs)
	}
	for _, environment := range []string{"staging", "production"} {
		j := jobs[environment]
		want := []string{"scripts/deploy $(cat envs/" + environment + "/flags)"}
		if j.Environment != environment || j.Permissions["id-token"] != "write" || j.Env["RELATIONINDEX_ENV"] != "envs/"+environment+"/relationindex.env" || !slices.Equal(j.scripts(), want) {
			t.Errorf("%s is %+v", environment, j)
		}
		var installs []string
		for _, step := range j.Steps {
			installs = append(installs, step.Run)
		}
		if !slices.Contains(installs, "npm install --global "+deploy.FirebaseTools) {
			t.Errorf("%s runs %q, and not %s", environment, installs, deploy.FirebaseTools)
		}
	}
}
