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

// Plan is a deployment, or its removal, as data. It is made without asking anybody.
type Plan struct {
	options            Options
	removal            bool
	functions          []function
	alerts, conditions int
	// Checks must all hold before a step is taken.
	Checks []Check
	// Steps are taken in this order.
	Steps []Step
	// Files are the files that commands read in $WORK.
	Files map[string][]byte
}

// Step is one thing that a deployment makes or removes.
type Step struct {
	Title string
	// Look prints one line that tells what is there: Want if that is what the step would
	// make, nothing if it is not there, a line that begins with Ours if a deployment of this
	// name made it. Any other line is somebody else's. Without Look, the step is taken each
	// time, and changes nothing the second time.
	Look       Command
	Want, Ours string
	// Of names the earlier steps that this one belongs to, by title. While the resource of one of them is
	// missing, so is this step's. If it is somebody else's, so is this step's.
	Of []string
	// Gone: the step removes a resource. Create removes what Look finds.
	Gone bool
	// Once: Create fails if it is there.
	Once bool
	// Create makes it, and Update brings it up to date. Without Update, Create does both.
	Create, Update []Command
	// Undo removes it. None: undeploy keeps it.
	Undo []Command
}

// New returns the plan of a deployment. The options must be valid. It reads the folder
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

// WriteFiles writes the files that commands read into a directory. The key of tombstones is one of them: nobody else may
// read them.
func (p *Plan) WriteFiles(dir string) error {
	for name, content := range p.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chmod(path, 0o600)); err != nil { // also one that was there
			return err
		}
	}
	return nil
}

// digest tells one version of something from another: 32 hexadecimal digits, which fit
// into a label.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}
