package deploy

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// folder has the monitoring resources: log-based metrics in metrics/, alert policies in
// alerts/, and dashboard.json. Each file is in its API's format, with the placeholders
// DEPLOYMENT, PROJECT and DATABASE.
const folder = "monitoring"

// metricOf matches a metric that a condition reads, in a filter or in PromQL: Google bills each.
var metricOf = regexp.MustCompile(`metric\.type=|\{"[a-z]+\.googleapis\.com/`)

// object is a JSON object of an API.
type object = map[string]any

// watch writes the steps for the resources that the folder describes, and adds their files to the plan: metrics come before
// the alert policies that use them. A metric has the mark in its description, the others in labels.
func (p *Plan) watch(s *script) error {
	for _, pattern := range []string{"metrics/*.json", "alerts/*.json", "dashboard.json"} {
		files, err := fs.Glob(p.options.Source, folder+"/"+pattern)
		if err != nil {
			return err
		}
		for _, file := range files {
			resource, err := p.options.read(file)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			name := strings.TrimSuffix(path.Base(file), path.Ext(file))
			switch path.Dir(pattern) {
			case "metrics":
				id, _ := resource["name"].(string)
				if id == "" {
					return fmt.Errorf("%s: the metric has no name", file)
				}
				about, _ := resource["description"].(string)
				about = s.marked() + about + " (" + digestOf(resource) + ")"
				resource["description"] = about
				from := "--config-from-file=$WORK/" + file
				s.do("ensure", "metric", id, s.marked(), about, "gcloud", "logging", "metrics", "create", id, from, "::", "gcloud", "logging", "metrics", "update", id, from)
			case "alerts":
				p.alerts++
				p.metrics += len(metricOf.FindAllString(fmt.Sprint(resource["conditions"]), -1))
				if len(p.options.Notify) > 0 {
					resource["notificationChannels"] = p.options.Notify
				}
				s.do("watch", "policy", name, p.options.label(resource, "userLabels", name), "$WORK/"+file)
			default:
				s.do("watch", "dashboard", name, p.options.label(resource, "labels", name), "$WORK/"+file)
			}
			if err := p.addJSON(file, resource); err != nil {
				return err
			}
		}
	}
	return nil
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

// label writes the deployment's mark, the file's name and the digest into a resource's labels, and returns the digest.
func (o Options) label(resource object, field, name string) string {
	sum := digestOf(resource)
	labels, _ := resource[field].(object)
	if labels == nil {
		labels = object{}
	}
	labels["relationindex"], labels["relationindex-file"], labels["relationindex-digest"] = o.mark(), name, sum
	resource[field] = labels
	return sum
}

func digestOf(resource object) string {
	text, err := json.Marshal(resource) // with its keys in order
	if err != nil {
		panic(err) // it came as JSON
	}
	return digest(string(text))
}
