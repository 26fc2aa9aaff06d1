package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

// folder holds what is watched: metrics/ with log-based metrics, alerts/ with alert
// policies, and dashboard.json, each as its API has it, but for the words
// DEPLOYMENT and PROJECT.
const folder = "monitoring"

// labelDigest marks a version, beside labelName, in what has labels of a person's.
const labelDigest = "relationindex-digest"

// monitoring adds every file of the folder; without the folder there are none.
// Metrics come before the policies that count them.
func (p *Plan) monitoring(o Options) error {
	for _, part := range []struct {
		pattern string
		add     func(Options, string, map[string]any) error
	}{
		{"metrics/*.json", p.metric},
		{"alerts/*.json", p.policy},
		{"dashboard.json", p.dashboard},
	} {
		files, err := fs.Glob(o.Source, folder+"/"+part.pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			resource, err := o.read(file)
			if err == nil {
				err = part.add(o, file, resource)
			}
			if err != nil {
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
	var resource map[string]any
	return resource, json.Unmarshal(text, &resource)
}

// write puts a resource into $WORK, and returns its path there.
func (p *Plan) write(file string, resource map[string]any) (string, error) {
	text, err := json.MarshalIndent(resource, "", "  ")
	p.Files[file] = append(text, '\n')
	return "$" + varWork + "/" + file, err
}

// version is the digest of a resource before it is marked with it.
func version(resource map[string]any) (string, error) {
	text, err := json.Marshal(resource) // with its keys in order
	return digest(string(text)), err
}

// metric adds a log-based metric. It has no labels, so its description is marked.
func (p *Plan) metric(o Options, file string, resource map[string]any) error {
	sum, err := version(resource)
	if err != nil {
		return err
	}
	name, _ := resource["name"].(string)
	if name == "" {
		return fmt.Errorf("the metric has no name")
	}
	about, _ := resource["description"].(string)
	description := o.marked() + about + " (" + sum + ")"
	resource["description"] = description
	at, err := p.write(file, resource)
	if err != nil {
		return err
	}
	look := gcloud("logging", "metrics", "list", o.project(), fmt.Sprintf("--filter=name=%q", name), "--format=value(description)")
	p.add(Step{
		Title:  "log-based metric " + name,
		Look:   &look,
		Want:   description,
		Ours:   o.marked(),
		Create: []Command{gcloud("logging", "metrics", "create", name, o.project(), "--config-from-file="+at)},
		Update: []Command{gcloud("logging", "metrics", "update", name, o.project(), "--config-from-file="+at)},
		Undo:   []Command{gcloud("logging", "metrics", "delete", name, o.project())},
	})
	return nil
}

// policies are the commands of alert policies, which gcloud has in alpha only.
var policies = []string{"alpha", "monitoring", "policies"}

// policy adds an alert policy, which calls the channels. Names are not unique: it
// is found by the label of the deployment and that of its file.
func (p *Plan) policy(o Options, file string, resource map[string]any) error {
	if len(o.Notify) > 0 {
		resource["notificationChannels"] = o.Notify
	}
	commands := func(id string) [][]Command {
		return [][]Command{
			{gcloud("alpha", "monitoring", "policies", "create", o.project(), "--policy-from-file="+id)},
			{gcloud("alpha", "monitoring", "policies", "update", "$"+varID, o.project(), "--policy-from-file="+id)},
			{gcloud("alpha", "monitoring", "policies", "delete", "$"+varID, o.project())},
		}
	}
	return p.labelled(o, "alert policy", policies, "userLabels", file, resource, commands)
}

// dashboard adds the dashboard. It is made anew where it has changed: an update
// would need the etag of the one that is there.
//
// A crash between the two leaves none, and the next deployment makes it.
func (p *Plan) dashboard(o Options, file string, resource map[string]any) error {
	commands := func(at string) [][]Command {
		create := gcloud("monitoring", "dashboards", "create", o.project(), "--config-from-file="+at)
		remove := gcloud("monitoring", "dashboards", "delete", "$"+varID, o.project())
		return [][]Command{{create}, {remove, create}, {remove}}
	}
	return p.labelled(o, "dashboard", []string{"monitoring", "dashboards"}, "labels", file, resource, commands)
}

// labelled adds a resource whose name its service chooses. commands are those that
// create, update and remove it, by the path of its file; the last two find its
// name in $ID.
func (p *Plan) labelled(o Options, kind string, group []string, labels, file string, resource map[string]any, commands func(at string) [][]Command) error {
	sum, err := version(resource)
	if err != nil {
		return err
	}
	marks, _ := resource[labels].(map[string]any)
	if marks == nil {
		marks = map[string]any{}
	}
	const labelFile = "relationindex-file"
	base := path.Base(file[:len(file)-len(path.Ext(file))])
	marks[labelName], marks[labelFile], marks[labelDigest] = o.mark(), base, sum
	resource[labels] = marks
	at, err := p.write(file, resource)
	if err != nil {
		return err
	}
	list := func(format string) Command {
		return gcloud(append(group, "list", o.project(), fmt.Sprintf("--filter=%s.%s=%s AND %s.%s=%s", labels, labelName, o.mark(), labels, labelFile, base), format)...)
	}
	look := list(fmt.Sprintf(`--format=value[separator=" "](%s.%s,%s.%s)`, labels, labelName, labels, labelDigest))
	find := list("--format=value(name)").sets(varID)
	all := commands(at)
	p.add(Step{
		Title:  kind + " " + base,
		Look:   &look,
		Want:   o.mark() + " " + sum,
		Ours:   o.mark() + " ",
		Create: all[0],
		Update: append([]Command{find}, all[1]...),
		Undo:   append([]Command{find}, all[2]...),
	})
	return nil
}
