package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// folder holds what is watched: metrics/ with log-based metrics, alerts/ with alert
// policies, and dashboard.json, each as its API has it, but for the words
// DEPLOYMENT, PROJECT and DATABASE.
const folder = "monitoring"

// The labels of alert policies and dashboards, beside labelName.
const (
	labelFile   = "relationindex-file"
	labelDigest = "relationindex-digest"
)

// watch is a kind of what watches a deployment.
type watch struct {
	one, all string   // titles of steps
	pattern  string   // of its files
	group    []string // gcloud's commands
	flag     string   // takes a file
	// labels is the field with labels of a person's, which are marked: the service
	// chooses the name then. "": it has a name, and its description is marked.
	labels string
	// remade: it is made anew where it has changed. An update would need the etag of
	// the one that is there. A crash between the two leaves none, and the next
	// deployment makes it.
	remade bool
}

// watches are in the order in which they are made: metrics come before the
// policies that count them. gcloud has alert policies in alpha only.
var watches = []watch{
	{one: "log-based metric", all: "log-based metrics", pattern: "metrics/*.json", group: []string{"logging", "metrics"}, flag: "--config-from-file="},
	{one: alertPolicy, all: "alert policies", pattern: "alerts/*.json", group: []string{"alpha", "monitoring", "policies"}, flag: "--policy-from-file=", labels: "userLabels"},
	{one: "dashboard", all: "dashboards", pattern: "dashboard.json", group: []string{"monitoring", "dashboards"}, flag: "--config-from-file=", labels: "labels", remade: true},
}

const alertPolicy = "alert policy"

func (w watch) gcloud(args ...string) Command { return gcloud(slices.Concat(w.group, args)...) }

// monitoring adds every file of the folder; without the folder there are none.
func (p *Plan) monitoring() error {
	for _, w := range watches {
		files, err := fs.Glob(p.options.Source, folder+"/"+w.pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := p.watch(w, file); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// read returns a file of the folder for this deployment.
func (o Options) read(file string) (object, error) {
	text, err := fs.ReadFile(o.Source, file)
	if err != nil {
		return nil, err
	}
	for word, value := range map[string]string{"DEPLOYMENT": o.Name, "PROJECT": o.Project, "DATABASE": o.Config.DatabaseID()} {
		text = bytes.ReplaceAll(text, []byte(word), []byte(value))
	}
	var resource object
	return resource, json.Unmarshal(text, &resource)
}

// watch adds what a file describes.
func (p *Plan) watch(w watch, file string) error {
	o := p.options
	resource, err := o.read(file)
	if err != nil {
		return err
	}
	if w.one == alertPolicy {
		conditions, _ := resource["conditions"].([]any)
		p.overview.alerts++
		p.overview.conditions += len(conditions)
		if len(o.Notify) > 0 {
			resource["notificationChannels"] = o.Notify
		}
	}
	unmarked, err := json.Marshal(resource) // with its keys in order
	if err != nil {
		return err
	}
	step, name, terms := o.marks(w, file, resource, digest(string(unmarked)))
	if len(name) > 0 && name[0] == "" {
		return fmt.Errorf("the %s has no name", w.one)
	}
	text, err := json.MarshalIndent(resource, "", "  ")
	if err != nil {
		return err
	}
	p.Files[file] = append(text, '\n')
	flags := []string{o.project(), w.flag + "$" + varWork + "/" + file}
	list := w.gcloud("list", o.project(), filter(terms...), "--format=value(name)")
	create := w.gcloud(slices.Concat([]string{"create"}, name, flags)...)
	step.Create = []Command{create}
	step.Update = []Command{w.gcloud(slices.Concat([]string{"update", "$" + varLine}, flags)...).each(list)}
	if w.remade {
		step.Update = []Command{w.gcloud("delete", "$"+varLine, o.project()).each(list), create}
	}
	p.add(step)
	return nil
}

// marks marks a resource as this deployment's, by its description or by its labels. It
// returns a step that looks for it, the name that it is created with, and the terms that
// find it.
func (o Options) marks(w watch, file string, resource object, sum string) (step Step, name, terms []string) {
	if w.labels == "" {
		id, _ := resource["name"].(string)
		about, _ := resource["description"].(string)
		description := o.marked() + about + " (" + sum + ")"
		resource["description"] = description
		terms = []string{exactly("name", id)}
		look := w.gcloud("list", o.project(), filter(terms...), "--format=value(description)")
		return Step{Title: w.one + " " + id, Look: look, Want: description, Ours: o.marked()}, []string{id}, terms
	}
	labels, _ := resource[w.labels].(object)
	if labels == nil {
		labels = object{}
	}
	base, in := strings.TrimSuffix(path.Base(file), path.Ext(file)), w.labels+"."
	labels[labelName], labels[labelFile], labels[labelDigest] = o.mark(), base, sum
	resource[w.labels] = labels
	terms = []string{exactly(in+labelName, o.mark()), exactly(in+labelFile, base)}
	look := w.gcloud("list", o.project(), filter(terms...), values(in+labelName, in+labelDigest))
	return Step{Title: w.one + " " + base, Look: look, Want: o.mark() + " " + sum, Ours: o.mark() + " "}, nil, terms
}

// unwatch adds the removal of everything that watches this deployment, policies
// before the metrics that they count.
func (p *Plan) unwatch() {
	o := p.options
	for _, w := range slices.Backward(watches) {
		ours := exactly(w.labels+"."+labelName, o.mark())
		if w.labels == "" {
			ours = fmt.Sprintf("description~%q", "^"+o.marked())
		}
		list := w.gcloud("list", o.project(), filter(ours), "--format=value(name)")
		p.each(w.all, list, w.gcloud("delete", "$"+varLine, o.project()))
	}
}
