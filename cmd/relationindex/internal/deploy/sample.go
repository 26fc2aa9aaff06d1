package deploy

import (
	"encoding/json"
	"fmt"
	"strings"

	"example.com/relationindex/internal/console"
)

const (
	// sampleSchedule is when the sampling verify runs: each hour, and not when all others do.
	sampleSchedule = "17 * * * *"
	// sampleTimeout limits a run. The next run begins where one ended that has not ended by itself.
	sampleTimeout = "3600s"
	// fileBuild is the file in $WORK that says how its image is built.
	fileBuild = "sample-build.json"
	// goImage is what compiles it: the Go of go.mod.
	goImage = "golang:1.26"
)

// sample adds a Cloud Run job that runs `relationindex verify --sample`, and what calls it each hour. The
// command is built from the module, beside the functions and not linked into them. It runs as they do.
//
// A deployment builds it anew each time: nothing that can be listed tells one image from another. A crash
// between two steps leaves a job that nobody calls, or one of an earlier release; the next deployment goes on.
func (p *Plan) sample() error {
	o := p.options
	job, location := o.Name+"-sample", "--location="+o.Region
	image := fmt.Sprintf("%s-docker.pkg.dev/%s/%s/sample", o.Region, o.Project, o.Name)
	build, err := json.MarshalIndent(buildOf(image), "", "  ")
	if err != nil {
		return err
	}
	p.Files[fileBuild] = append(build, '\n')
	repository := exactly("name", fmt.Sprintf("projects/%s/locations/%s/repositories/%s", o.Project, o.Region, o.Name))
	p.add(Step{
		Title: "repository of images " + o.Name, Want: o.mark() + " DOCKER", Ours: o.mark() + " ", Once: true,
		Look:   gcloud("artifacts", "repositories", "list", o.project(), location, filter(repository), values("labels."+labelName, "format")),
		Create: []Command{gcloud("artifacts", "repositories", "create", o.Name, o.project(), location, "--repository-format=docker", "--labels="+labelName+"="+o.mark())},
		Undo:   []Command{gcloud("artifacts", "repositories", "delete", o.Name, o.project(), location)},
	})
	title := "Cloud Run job " + job
	p.add(Step{
		Title: title, Ours: o.mark() + " ", // without Want: it is made anew each time
		Look: gcloud("run", "jobs", "list", o.project(), o.region(), filter(exactly("metadata.name", job)), values("metadata.labels."+labelName, "metadata.name")),
		Create: []Command{
			gcloud("builds", "submit", ".", o.project(), o.region(), "--ignore-file=.gcloudignore.sample", "--config=$"+varWork+"/"+fileBuild, "--service-account="+o.buildAccount()),
			o.deployJob(job, image),
		},
		Undo: []Command{gcloud("run", "jobs", "delete", job, o.project(), o.region())},
	})
	p.invoker("jobs", job, "serviceAccount:"+o.account(accountTriggers), o.account(accountTriggers), title)
	does := "runs verify --sample each hour"
	if !p.removal {
		does += fmt.Sprintf(": %s in 30 days, and those of what it finds", console.Counted(30*24*o.Sample, "read"))
	}
	p.schedule(job, does, "checks some accounts", Command{}, []string{
		"--schedule=" + sampleSchedule, "--time-zone=Etc/UTC", "--http-method=post",
		fmt.Sprintf("--uri=https://run.googleapis.com/v2/projects/%s/locations/%s/jobs/%s:run", o.Project, o.Region, job),
		"--oauth-service-account-email=" + o.account(accountTriggers),
	})
	return nil
}

func (o Options) deployJob(job, image string) Command {
	args := []string{"verify", "--sample", "--json", "--live", "--project=" + o.Project, fmt.Sprintf("--reads=%d", o.Sample)}
	if o.SampleRepair {
		args = append(args, "--repair")
	}
	return gcloud("run", "jobs", "deploy", job, o.project(), o.region(), "--image="+image, "--args="+strings.Join(args, ","),
		"--set-env-vars=RELATIONINDEX_DATABASE="+o.Config.DatabaseID(), o.readsKey(),
		"--service-account="+o.account(accountFunctions), "--memory=512Mi", "--cpu=1", "--max-retries=0", "--task-timeout="+sampleTimeout,
		"--labels="+labelName+"="+o.mark())
}

// object is a part of a file for an API.
type object = map[string]any

// buildOf returns a build of Cloud Build, which compiles the command and puts it into an image.
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
