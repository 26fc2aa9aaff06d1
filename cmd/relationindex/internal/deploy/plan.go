package deploy

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/functions/triggers"
)

// Plan is a deployment as data. It is made without asking anybody.
type Plan struct {
	Project string `json:"project"`
	Name    string `json:"name"`
	// Database is the id of its database, (default) too.
	Database string `json:"database"`
	// Mark is what its resources are marked with.
	Mark string `json:"mark"`
	// Variables are what commands need of this machine, by their names, with the
	// command that a person would get them by.
	Variables []tool.Command `json:"variables"`
	// Preconditions must all hold before a step is taken.
	Preconditions []Precondition `json:"preconditions"`
	// Steps are taken in this order, and undone in the reverse.
	Steps []Step `json:"steps"`
	// Files are what the steps' commands read in $WORK.
	Files map[string][]byte `json:"-"`

	// ConfigErr is what is wrong with the configuration. Such a plan cannot be
	// carried out: it is one of the preconditions.
	ConfigErr error `json:"-"`
}

// Step is one thing that a deployment makes.
type Step struct {
	Title string `json:"title"`
	// Look prints one line that tells what is there: Want if that is what the step
	// would make; nothing if it is not there; a line that begins with Ours if a
	// deployment of this name made it. Any other line is somebody else's. None: the
	// step is taken each time, and changes nothing the second time.
	Look *tool.Command `json:"look,omitempty"`
	Want string        `json:"want,omitempty"`
	Ours string        `json:"ours,omitempty"`
	// Part is the title of an earlier step that this one is part of: while that is
	// not there this is not either, and if that is somebody else's, so is this.
	Part string `json:"part,omitempty"`
	// On prints one line that tells what this step belongs to and no step makes. It is
	// asked before Look where the step is undone: nothing means that this is gone with it.
	On *tool.Command `json:"on,omitempty"`
	// Gone: the step is that nothing is there: Create removes what Look finds.
	Gone bool `json:"gone,omitempty"`
	// Create makes it, and Update brings it up to date; without Update, Create does both.
	Create []tool.Command `json:"create"`
	Update []tool.Command `json:"update,omitempty"`
	// Undo removes it. None: undeploy keeps it.
	Undo []tool.Command `json:"undo,omitempty"`
}

// New is the plan of a deployment. The options must be valid. It reads the
// folder monitoring of the source, and a rules file if one is named.
func New(o Options) (*Plan, error) {
	o.Config.Project = o.Project
	p := &Plan{Project: o.Project, Name: o.Name, Database: o.Config.DatabaseID(), Mark: o.mark(), Files: map[string][]byte{}, ConfigErr: o.ConfigErr}
	if err := p.database(o); err != nil {
		return nil, err
	}
	p.key(o)
	p.accounts(o)
	p.functions(o, triggers.Table(o.Config))
	if o.NoFeed {
		p.withoutFeed(o)
	}
	p.sweep(o)
	if o.Sample > 0 {
		if err := p.sample(o); err != nil {
			return nil, err
		}
	}
	if err := p.monitoring(o); err != nil {
		return nil, err
	}
	p.narrow(o)
	p.Preconditions = o.preconditions()
	p.Variables = []tool.Command{
		self(o, "--files").Setting(tool.VarWork),
		self(o, "--source-digest").Setting(tool.VarSource),
		tool.Command{Args: []string{"date", "-u", "+%Y-%m-%dT%H:%M:%SZ"}}.Setting(tool.VarNow),
	}
	return p, nil
}

// self is this program's own command that prints a variable's value. It names the
// database, (default) too: the shell that runs it may have the variable of another.
// Nothing else of the environment is in what it prints.
func self(o Options, flag string) tool.Command {
	args := []string{"env", "RELATIONINDEX_DATABASE=" + o.Config.DatabaseID(), "go", "run", "./cmd/relationindex", "deploy-plan", flag, o.project(), "--location=" + o.Location, o.region(), "--name=" + o.Name}
	if o.RulesFile != "" {
		args = append(args, "--rules="+o.RulesFile)
	}
	if o.Pace {
		args = append(args, "--pace")
	}
	if o.NoFeed {
		args = append(args, "--no-feed")
	}
	if o.Sample > 0 {
		args = append(args, fmt.Sprintf("--sample=%d", o.Sample))
	}
	if o.SampleRepair {
		args = append(args, "--sample-repair")
	}
	for _, c := range o.Notify {
		args = append(args, "--notify="+c)
	}
	return tool.Command{Args: args}
}

// gone adds that nothing is there which a command lists, a line each; remove is of a line.
func (p *Plan) gone(title, part string, list, remove tool.Command) {
	remove.Each = tool.VarIDs
	p.add(Step{Title: title, Part: part, Look: &list, Gone: true, Create: []tool.Command{list.Setting(tool.VarIDs), remove}})
}

func (p *Plan) add(s Step) { p.Steps = append(p.Steps, s) }

// digest is what tells one version of something from another: 32 hexadecimal
// digits, as a label holds them.
func digest(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))[:32]
}
