package deploy

import (
	"fmt"

	"example.com/relationindex/internal/console"
)

// image returns the address of the sampling job's image.
func (o Options) image() string {
	return fmt.Sprintf("%s-docker.pkg.dev/%s/%s/sample", o.Region, o.Project, o.Name)
}

func (o Options) sampleArgs() string {
	args := fmt.Sprintf("--reads=%d", o.Sample)
	if o.SampleRepair {
		args += ",--repair"
	}
	return args
}

// sampleDoes describes the sampling job. In a deployment, the text includes the job's reads.
func (o Options) sampleDoes() string {
	does := "runs verify --sample each hour"
	if o.Sample > 0 {
		does += fmt.Sprintf(": %s in 30 days, and those of what it finds", console.Counted(30*24*o.Sample, "read"))
	}
	return does
}

// goImage is the image that compiles the job: the Go version of go.mod.
const goImage = "golang:1.26"

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
