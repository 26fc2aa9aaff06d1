package deploy

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
)

// sampleSchedule is when the sampling verify runs: each hour, and not when all others do.
const sampleSchedule = "17 * * * *"

// sampleTimeout limits a run of it. One that has not ended begins again where the one before it ended.
const sampleTimeout = "3600s"

// fileBuild is the file in $WORK that says how its image is built.
const fileBuild = "sample-build.json"

// goImage is what compiles it: the Go of go.mod.
const goImage = "golang:1.26"

// sample adds a Cloud Run job that runs `relationindex verify --sample`, and what calls it each hour. The
// command is built from the module, beside the functions and not linked into them. It runs as they do.
//
// A deployment builds it anew each time: nothing that can be listed tells one image from another. A crash
// between two steps leaves a job that nobody calls, or one of an earlier release; the next deployment goes on.
func (p *Plan) sample(o Options) error {
	job := o.Name + "-sample"
	repository := fmt.Sprintf("projects/%s/locations/%s/repositories/%s", o.Project, o.Region, o.Name)
	title := "repository of images " + o.Name
	p.add(Step{
		Title: title, Want: o.mark() + " DOCKER", Ours: o.mark() + " ",
		Look: new(tool.Gcloud("artifacts", "repositories", "list", o.project(), "--location="+o.Region,
			tool.Filter(tool.Exactly("name", repository)), `--format=value[separator=" "](labels.`+labelName+",format)")),
		Create: []tool.Command{tool.Gcloud("artifacts", "repositories", "create", o.Name, o.project(), "--location="+o.Region, "--repository-format=docker", "--labels="+labelName+"="+o.mark())},
		Undo:   []tool.Command{tool.Gcloud("artifacts", "repositories", "delete", o.Name, o.project(), "--location="+o.Region)},
	})
	image := fmt.Sprintf("%s-docker.pkg.dev/%s/%s/sample", o.Region, o.Project, o.Name)
	build, err := json.MarshalIndent(buildOf(image), "", "  ")
	if err != nil {
		return err
	}
	p.Files[fileBuild] = append(build, '\n')
	args := []string{"verify", "--sample", "--json", "--live", "--project=" + o.Project, fmt.Sprintf("--reads=%d", o.Sample)}
	if o.SampleRepair {
		args = append(args, "--repair")
	}
	title = "Cloud Run job " + job
	p.add(Step{
		Title: title, Ours: o.mark() + " ", // without Want: it is made anew each time
		Look: new(tool.Gcloud("run", "jobs", "list", o.project(), o.region(), tool.Filter(tool.Exactly("metadata.name", job)),
			`--format=value[separator=" "](metadata.labels.`+labelName+",metadata.name)")),
		Create: []tool.Command{
			tool.Gcloud("builds", "submit", ".", o.project(), o.region(), "--ignore-file=.gcloudignore.sample", "--config=$"+tool.VarWork+"/"+fileBuild,
				"--service-account=projects/"+o.Project+"/serviceAccounts/"+o.account(accountBuild)),
			tool.Gcloud("run", "jobs", "deploy", job, o.project(), o.region(), "--image="+image, "--args="+strings.Join(args, ","),
				"--set-env-vars=RELATIONINDEX_DATABASE="+o.Config.DatabaseID(), "--set-secrets="+config.VariableTombstones+"="+o.secret()+":"+keyVersion,
				"--service-account="+o.account(string(triggers.AccountFunctions)), "--memory=512Mi", "--cpu=1", "--max-retries=0", "--task-timeout="+sampleTimeout,
				"--labels="+labelName+"="+o.mark()),
		},
		Undo: []tool.Command{tool.Gcloud("run", "jobs", "delete", job, o.project(), o.region())},
	})
	p.invoker(o, "jobs", title, job, "serviceAccount:"+o.account(accountTriggers), o.account(accountTriggers))
	does := "runs verify --sample each hour"
	if o.Sample > 0 { // 0: it is removed
		does += fmt.Sprintf(": %s in 30 days, and those of what it finds", console.Counted(30*24*o.Sample, "read"))
	}
	p.schedule(o, job, does, "checks some accounts", []string{
		"--schedule=" + sampleSchedule, "--time-zone=Etc/UTC", "--http-method=post",
		fmt.Sprintf("--uri=https://run.googleapis.com/v2/projects/%s/locations/%s/jobs/%s:run", o.Project, o.Region, job),
		"--oauth-service-account-email=" + o.account(accountTriggers),
	})
	return nil
}

// object is a part of a file for an API.
type object = map[string]any

// buildOf is a build of Cloud Build, which compiles the command and puts it into an image.
func buildOf(image string) object {
	dockerfile := `FROM gcr.io/distroless/static-debian12\nCOPY relationindex /\nENTRYPOINT ["/relationindex"]\n`
	return object{
		"steps": []object{
			{"name": goImage, "env": []string{"CGO_ENABLED=0"}, "args": []string{"go", "build", "-trimpath", "-o", "image/relationindex", "./cmd/relationindex"}},
			{"name": "gcr.io/cloud-builders/docker", "script": "printf '" + dockerfile + "' > image/Dockerfile && docker build --tag=" + image + " image"},
		},
		"images":  []string{image},
		"options": object{"logging": "CLOUD_LOGGING_ONLY"}, // the account of the build has no bucket of its own
		"timeout": "1200s",
	}
}
