package deploy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema/names"
)

// Removal is the plan that takes a deployment out again. Functions go first, so
// that no event finds half a deployment. It names every function that a
// deployment may have, whatever the configuration, and everything that has the
// deployment's mark.
//
// Rules, data and the secret with the key of tombstones stay. So do indexes, unless
// told otherwise: then those of relations and jobs go, with their settings of fields
// and the time-to-live. The options must be valid; those of files mean nothing.
func Removal(o Options, indexes bool) (*Plan, error) {
	if o.ConfigErr != nil {
		return nil, o.ConfigErr // the database among others
	}
	o.Config.Project, o.NoFeed = o.Project, false
	p := &Plan{Project: o.Project, Name: o.Name, Database: o.Config.DatabaseID(), Mark: o.mark(), Files: map[string][]byte{}}
	p.functions(o, triggers.All(o.Config))
	p.sweep(o)
	sampling := len(p.Steps)
	if err := p.sample(o); err != nil {
		return nil, err
	}
	slices.Reverse(p.Steps[sampling:]) // what calls it first, and its image last
	p.unwatch(o)
	others := len(p.Steps)
	p.accounts(o)
	slices.Reverse(p.Steps[others:]) // roles before their accounts
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool { return len(s.Undo) == 0 })
	ours := len(p.Steps)
	if indexes {
		if err := p.unindex(o); err != nil {
			return nil, err
		}
	}
	p.Preconditions = slices.DeleteFunc(o.preconditions(), func(c Precondition) bool {
		return !slices.Contains([]string{needGcloud, needAlpha, needSignedIn, needProject}, c.Name)
	})
	p.Preconditions = append(p.Preconditions, p.owned(o, p.Steps[ours:]), Precondition{
		Name: "secret", Asks: "is the secret " + o.secret() + " there?", Command: new(o.secrets("value(name)")),
		Rule: "gcloud may list secrets; of one that is gone no role is taken back",
		Fix:  tool.Gcloud("services", "enable", "secretmanager.googleapis.com", o.project()).String() + ", and ask for a role that may list secrets", Needs: []string{needProject},
	})
	if indexes {
		p.Preconditions = append(p.Preconditions, o.alone("none but "+o.mark()+": another needs the indexes", "undeploy without --indexes", needProject))
	}
	return p, nil
}

// owned is that the functions of this name are this deployment's, on this database.
// Nothing marks indexes as ours: they are removed only where functions prove that
// they belong to this deployment.
func (p *Plan) owned(o Options, indexes []Step) Precondition {
	all := triggers.Names()
	for i, name := range all {
		all[i] = o.function(name)
	}
	rule, byHand := "not those of another alone", ""
	if len(indexes) > 0 {
		rule = "one or more, and none of another: nothing else tells whose indexes those of the database are"
		for _, s := range indexes {
			for _, c := range s.Undo {
				byHand += "\n      " + c.String()
			}
		}
	}
	return Precondition{
		Name: "owned", Asks: "which functions of this name are there, and are they of " + o.mark() + "?",
		Command: new(tool.Gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region,
			fmt.Sprintf("--filter=name~%q", "/functions/("+strings.Join(all, "|")+")$"),
			fmt.Sprintf(`--format=value[separator=" "](name.basename(),labels.%s)`, labelName))),
		Rule: rule, Fix: "set RELATIONINDEX_DATABASE, --name and --region to what was deployed", Needs: []string{needProject},
		check: says(func(answer string) error {
			var ours, others []string
			for line := range strings.Lines(answer) {
				if name, mark, _ := strings.Cut(strings.TrimSpace(line), " "); mark == o.mark() {
					ours = append(ours, name)
				} else {
					others = append(others, fmt.Sprintf("%s was deployed as %q", name, mark))
				}
			}
			switch {
			case len(others) > 0 && (len(indexes) > 0 || len(ours) == 0):
				return fmt.Errorf("%s, not as %q", strings.Join(others, ", "), o.mark())
			case len(indexes) > 0 && len(ours) == 0:
				return problem{
					fmt.Errorf("there is no function that was deployed as %q: are the indexes of the database %s its own?", o.mark(), o.Config.DatabaseID()),
					"undeploy without --indexes removes what is left. If nobody needs the indexes any more:" + byHand,
				}
			default:
				return nil
			}
		}),
	}
}

// unwatch adds the removal of everything that watches this deployment, policies
// before the metrics that they count.
func (p *Plan) unwatch(o Options) {
	for _, w := range slices.Backward(watches) {
		ours := tool.Exactly(w.labels+"."+labelName, o.mark())
		if w.labels == "" {
			ours = fmt.Sprintf("description~%q", "^"+o.marked())
		}
		p.each(w.all, w.gcloud("list", o.project(), tool.Filter(ours), "--format=value(name)"), w.gcloud("delete", "$"+tool.VarLine, o.project()))
	}
}

// each adds the removal of everything that a command lists.
func (p *Plan) each(title string, list, remove tool.Command) {
	remove.Each = tool.VarIDs
	p.add(Step{Title: title, Look: &list, Undo: []tool.Command{list.Setting(tool.VarIDs), remove}})
}

// unindex adds the removal of indexes and settings of fields of the collections
// at the top that only functions use. Those of the others stay: an app may have
// collections of the same names elsewhere, which Firestore does not tell apart.
func (p *Plan) unindex(o Options) error {
	var file struct {
		FieldOverrides []struct {
			CollectionGroup, FieldPath string
			TTL                        bool
		}
	}
	if err := json.Unmarshal(o.Indexes, &file); err != nil {
		return fmt.Errorf("firestore.indexes.json: %w", err)
	}
	ours := []string{names.Relations, names.Jobs}
	for _, group := range ours {
		p.each("composite indexes of "+group,
			tool.Gcloud("firestore", "indexes", "composite", "list", o.project(), o.database(), fmt.Sprintf("--filter=name~%q", "/collectionGroups/"+group+"/indexes/"), "--format=value(name)"),
			tool.Gcloud("firestore", "indexes", "composite", "delete", "$"+tool.VarLine, o.project(), o.database()))
	}
	for _, f := range file.FieldOverrides {
		if !slices.Contains(ours, f.CollectionGroup) {
			continue
		}
		var undo []tool.Command
		if f.TTL {
			undo = append(undo, tool.Gcloud("firestore", "fields", "ttls", "update", f.FieldPath, o.project(), o.database(), "--collection-group="+f.CollectionGroup, "--disable-ttl"))
		}
		undo = append(undo, tool.Gcloud("firestore", "indexes", "fields", "update", f.FieldPath, o.project(), o.database(), "--collection-group="+f.CollectionGroup, "--clear-exemption"))
		look := tool.Gcloud("firestore", "indexes", "fields", "list", o.project(), o.database(), fmt.Sprintf("--filter=name~%q", "/collectionGroups/"+f.CollectionGroup+"/fields/"+f.FieldPath+"$"), "--format=value(name)")
		p.add(Step{Title: "settings of " + f.CollectionGroup + "." + f.FieldPath, Look: &look, Undo: undo})
	}
	return nil
}
