package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
)

// folder holds what is watched: metrics/ with log-based metrics, alerts/ with alert
// policies, and dashboard.json, each as its API has it, but for the words
// DEPLOYMENT, PROJECT and DATABASE.
const folder = "monitoring"

// labelDigest marks a version, beside labelName, in what has labels of a person's.
const labelDigest = "relationindex-digest"

// watch is a kind of what watches a deployment.
type watch struct {
	one, all string   // titles of steps
	pattern  string   // of its files
	group    []string // gcloud's commands
	flag     string   // takes a file
	// labels is the field with labels of a person's, which are marked: the service
	// chooses the name then. "": it has a name, and its description is marked.
	labels string
	// calls: it has notification channels.
	calls bool
	// remade: it is made anew where it has changed. An update would need the etag of
	// the one that is there. A crash between the two leaves none, and the next
	// deployment makes it.
	remade bool
}

// watches are in the order in which they are made: metrics come before the
// policies that count them. gcloud has alert policies in alpha only.
var watches = []watch{
	{
		one: "log-based metric", all: "log-based metrics", pattern: "metrics/*.json",
		group: []string{"logging", "metrics"}, flag: "--config-from-file=",
	},
	{
		one: "alert policy", all: "alert policies", pattern: "alerts/*.json",
		group: []string{"alpha", "monitoring", "policies"}, flag: "--policy-from-file=", labels: "userLabels", calls: true,
	},
	{
		one: "dashboard", all: "dashboards", pattern: "dashboard.json",
		group: []string{"monitoring", "dashboards"}, flag: "--config-from-file=", labels: "labels", remade: true,
	},
}

// gcloud is a command of the kind's.
func (w watch) gcloud(args ...string) tool.Command {
	return tool.Gcloud(slices.Concat(w.group, args)...)
}

// monitoring adds every file of the folder; without the folder there are none.
func (p *Plan) monitoring(o Options) error {
	for _, w := range watches {
		files, err := fs.Glob(o.Source, folder+"/"+w.pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := p.watch(o, w, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// read is a file of the folder for this deployment.
func (o Options) read(file string) (map[string]any, error) {
	text, err := fs.ReadFile(o.Source, file)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte("DEPLOYMENT"), []byte(o.Name))
	text = bytes.ReplaceAll(text, []byte("PROJECT"), []byte(o.Project))
	text = bytes.ReplaceAll(text, []byte("DATABASE"), []byte(o.Config.DatabaseID()))
	var resource map[string]any
	return resource, json.Unmarshal(text, &resource)
}

// watch adds what a file describes. Where names are not unique it is found by the
// label of the deployment and that of its file.
func (p *Plan) watch(o Options, w watch, file string) error {
	resource, err := o.read(file)
	if err != nil {
		return err
	}
	if w.calls && len(o.Notify) > 0 {
		resource["notificationChannels"] = o.Notify
	}
	unmarked, err := json.Marshal(resource) // with its keys in order
	if err != nil {
		return err
	}
	sum := digest(string(unmarked))
	var s Step
	var name []string // of what is made
	var find []tool.Command
	id := "$" + tool.VarID
	if w.labels == "" {
		id, _ = resource["name"].(string)
		if id == "" {
			return fmt.Errorf("the %s has no name", w.one)
		}
		about, _ := resource["description"].(string)
		description := o.marked() + about + " (" + sum + ")"
		resource["description"] = description
		name = []string{id}
		look := w.gcloud("list", o.project(), tool.Filter(tool.Exactly("name", id)), "--format=value(description)")
		s = Step{Title: w.one + " " + id, Look: &look, Want: description, Ours: o.marked()}
	} else {
		marks, _ := resource[w.labels].(map[string]any)
		if marks == nil {
			marks = map[string]any{}
		}
		const labelFile = "relationindex-file"
		base := strings.TrimSuffix(path.Base(file), path.Ext(file))
		marks[labelName], marks[labelFile], marks[labelDigest] = o.mark(), base, sum
		resource[w.labels] = marks
		in := w.labels + "."
		ours := tool.Filter(tool.Exactly(in+labelName, o.mark()), tool.Exactly(in+labelFile, base))
		look := w.gcloud("list", o.project(), ours, `--format=value[separator=" "](`+in+labelName+","+in+labelDigest+")")
		find = []tool.Command{w.gcloud("list", o.project(), ours, "--format=value(name)").Setting(tool.VarID)}
		s = Step{Title: w.one + " " + base, Look: &look, Want: o.mark() + " " + sum, Ours: o.mark() + " "}
	}
	text, err := json.MarshalIndent(resource, "", "  ")
	if err != nil {
		return err
	}
	p.Files[file] = append(text, '\n')
	flags := []string{o.project(), w.flag + "$" + tool.VarWork + "/" + file}
	create := w.gcloud(slices.Concat([]string{"create"}, name, flags)...)
	remove := w.gcloud("delete", id, o.project())
	update := []tool.Command{w.gcloud(slices.Concat([]string{"update", id}, flags)...)}
	if w.remade {
		update = []tool.Command{remove, create}
	}
	s.Create, s.Update, s.Undo = []tool.Command{create}, slices.Concat(find, update), append(find, remove)
	p.add(s)
	return nil
}
