package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.com/relationindex/functions/triggers"
)

// Plan is a deployment, or its removal, as data. [New] and [Removal] send no requests.
type Plan struct {
	options            Options
	removal            bool
	functions          []function
	alerts, conditions int
	// Checks must all hold before the first step runs.
	Checks []Check
	// Steps run in this order.
	Steps []Step
	// Files has the contents, by name, of the files in $WORK that commands read.
	Files map[string][]byte
}

// Step is one thing that a deployment makes or removes.
type Step struct {
	Title string
	// Look prints one line about the step's resource. The line equals Want if the resource is
	// up to date, and is empty if there is no resource. The line begins with Ours if a
	// deployment of this name made the resource. Any other line means that the resource is
	// somebody else's. A step without Look runs each time, and changes nothing the second time.
	Look       Command
	Want, Ours string
	// Of has the titles of the earlier steps that this step depends on. If the resource of such a step is missing, this
	// step's resource is missing too. If that resource is somebody else's, this step's resource is somebody else's too.
	Of []string
	// Gone: the step removes a resource. Create removes the resource that Look finds.
	Gone bool
	// Once: Create fails if the resource exists.
	Once bool
	// Create makes the resource, and Update brings it up to date. Without Update, Create does both.
	Create, Update []Command
	// Undo removes the resource. Without Undo, undeploy keeps the resource.
	Undo []Command
}

// New returns the plan of a deployment. The options must be valid. New reads the folder
// monitoring of the source.
func New(o Options) (*Plan, error) {
	p := newPlan(o)
	p.functions = p.options.functions(triggers.Table(o.Config))
	p.Checks = p.options.checks()
	if err := p.addFiles(); err != nil {
		return nil, err
	}
	return p, p.list("deploy", nil)
}

func newPlan(o Options) *Plan {
	o.Config.Project = o.Project
	return &Plan{options: o, Files: map[string][]byte{}}
}

// WriteFiles writes Files into a directory. One file has the key of tombstones, so only the current user may read the
// files.
func (p *Plan) WriteFiles(dir string) error {
	for name, content := range p.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chmod(path, 0o600)); err != nil { // an existing file too
			return err
		}
	}
	return nil
}

// digest returns a digest of the parts: 32 hexadecimal digits, which fit into a label. Different parts
// have different digests.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}
