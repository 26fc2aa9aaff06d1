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

// folder has the monitoring resources: log-based metrics in metrics/, alert policies in
// alerts/, and dashboard.json. Each file is in its API's format, with the placeholders
// DEPLOYMENT, PROJECT and DATABASE.
const folder = "monitoring"

// The labels of alert policies and dashboards, beside labelName.
const (
	labelFile   = "relationindex-file"
	labelDigest = "relationindex-digest"
)

// watch is a kind of monitoring resource.
type watch struct {
	One, All string // titles of steps
	pattern  string // file names of this kind
	Gcloud   string // gcloud commands of this kind
	Flag     string // the flag that names the file
	// labels names the resource's field of user labels. The mark is a label, and the
	// service chooses the resource's name. "": the file has the resource's name, and
	// the description gets the mark.
	labels string
	// Remade: a changed resource is deleted and created again, because an update
	// needs the resource's etag. A crash between the two commands leaves no resource, and the
	// next deployment creates it.
	Remade bool
}

// watches lists the kinds in the order of creation: metrics come before the alert
// policies that use them. Only gcloud alpha has alert policies.
var watches = []watch{
	{One: "log-based metric", All: "log-based metrics", pattern: "metrics/*.json", Gcloud: "logging metrics", Flag: "--config-from-file"},
	{One: alertPolicy, All: "alert policies", pattern: "alerts/*.json", Gcloud: "alpha monitoring policies", Flag: "--policy-from-file", labels: "userLabels"},
	{One: "dashboard", All: "dashboards", pattern: "dashboard.json", Gcloud: "monitoring dashboards", Flag: "--config-from-file", labels: "labels", Remade: true},
}

const alertPolicy = "alert policy"

// watched is the metric, alert policy or dashboard that a file of the folder describes.
type watched struct {
	watch
	File, ID       string
	Name           string // for create: "", or a blank and the name
	Filter, Fields string // flags
	Want, Ours     string
}

// watched returns the resources that the folder describes, and adds the folder's files to the plan. Without the
// folder, watched returns none.
func (p *Plan) watched() (all []watched, err error) {
	for _, w := range watches {
		files, err := fs.Glob(p.options.Source, folder+"/"+w.pattern)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			of, err := p.watch(w, file)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, of)
		}
	}
	return all, nil
}

// read parses a file of the folder, with this deployment's values for the placeholders.
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

// watch returns the resource that a file describes. It adds the file, with the deployment's marks, to the plan.
func (p *Plan) watch(w watch, file string) (watched, error) {
	o, of := p.options, watched{watch: w, File: file}
	resource, err := o.read(file)
	if err != nil {
		return of, err
	}
	if w.One == alertPolicy {
		conditions, _ := resource["conditions"].([]any)
		p.alerts++
		p.conditions += len(conditions)
		if len(o.Notify) > 0 {
			resource["notificationChannels"] = o.Notify
		}
	}
	unmarked, err := json.Marshal(resource) // with its keys in order
	if err != nil {
		return of, err
	}
	if of.marks(o, resource, digest(string(unmarked))); of.ID == "" {
		return of, fmt.Errorf("the %s has no name", w.One)
	}
	return of, p.addJSON(file, resource)
}

// marks writes the deployment's mark into a resource's description or labels. It also
// sets the gcloud filter that finds the resource.
func (w *watched) marks(o Options, resource object, sum string) {
	if w.labels == "" {
		w.ID, _ = resource["name"].(string)
		about, _ := resource["description"].(string)
		w.Name, w.Want, w.Ours = " "+w.ID, o.marked()+about+" ("+sum+")", o.marked()
		w.Filter, w.Fields = filter(exactly("name", w.ID)), "--format=value(description)"
		resource["description"] = w.Want
		return
	}
	labels, _ := resource[w.labels].(object)
	if labels == nil {
		labels = object{}
	}
	w.ID = strings.TrimSuffix(path.Base(w.File), path.Ext(w.File))
	labels[labelName], labels[labelFile], labels[labelDigest] = o.mark(), w.ID, sum
	resource[w.labels] = labels
	in := w.labels + "."
	w.Filter, w.Fields = filter(exactly(in+labelName, o.mark()), exactly(in+labelFile, w.ID)), values(in+labelName, in+labelDigest)
	w.Want, w.Ours = o.mark()+" "+sum, o.mark()+" "
}

// unwatched returns one entry for each kind, with the filter that finds all resources of
// this deployment. Alert policies come before the metrics that they use.
func (o Options) unwatched() (all []watched) {
	for _, w := range slices.Backward(watches) {
		ours := exactly(w.labels+"."+labelName, o.mark())
		if w.labels == "" {
			ours = fmt.Sprintf("description~%q", "^"+o.marked())
		}
		all = append(all, watched{watch: w, Filter: filter(ours)})
	}
	return all
}
