package deploy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
	o.NoFeed = false
	p := newPlan(o)
	o, p.removal = p.options, true
	p.functions(triggers.All(o.Config))
	p.sweep()
	sampling := len(p.Steps)
	if err := p.sample(); err != nil {
		return nil, err
	}
	slices.Reverse(p.Steps[sampling:]) // what calls it first, and its image last
	p.unwatch()
	others := len(p.Steps)
	p.accounts()
	slices.Reverse(p.Steps[others:]) // roles before their accounts
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool { return s.Undo == nil })
	p.add(Step{Title: p.secretTitle(), Look: o.listSecret()}) // without it, nobody has a role on it
	ours := len(p.Steps)
	if indexes {
		if err := p.unindex(); err != nil {
			return nil, err
		}
	}
	p.Checks = o.removalChecks(p.Steps[ours:])
	return p, nil
}

// removalChecks returns the checks of a removal, with the steps that remove indexes.
func (o Options) removalChecks(indexes []Step) []Check {
	all := slices.DeleteFunc(o.checks(), func(c Check) bool {
		return !slices.Contains([]string{needGcloud, needAlpha, needSignedIn, needProject}, c.Name)
	})
	all = append(all, o.owned(indexes), Check{
		Name: "secret", Want: "gcloud may list secrets: of one that is gone, no role is taken back", Ask: o.listSecret(), Needs: []string{needProject},
		Fix: gcloud("services", "enable", "secretmanager.googleapis.com", o.project()).String() + ", and ask for a role that may list secrets",
	})
	if len(indexes) > 0 {
		all = append(all, o.alone("undeploy without --indexes: the other deployment needs them", needProject))
	}
	return all
}

// owned is that the functions of this name are this deployment's, on this database.
// Nothing marks indexes as ours: they are removed only where functions prove that
// they belong to this deployment.
func (o Options) owned(indexes []Step) Check {
	all := triggers.Names()
	for i, name := range all {
		all[i] = o.function(name)
	}
	byHand := ""
	for _, s := range indexes {
		for _, c := range s.Undo {
			byHand += "\n      " + c.String()
		}
	}
	return Check{
		Name: "owned", Want: "functions of this name are of " + o.mark() + ", and not of another alone; to remove indexes, there is one and none of another",
		Ask: gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region,
			fmt.Sprintf("--filter=name~%q", "/functions/("+strings.Join(all, "|")+")$"), values("name.basename()", "labels."+labelName)),
		Fix: "set RELATIONINDEX_DATABASE, --name and --region to what was deployed", Needs: []string{needProject},
		holds: says(func(answer string) error {
			ours, others := o.split(answer)
			switch {
			case len(others) > 0 && (len(indexes) > 0 || ours == 0):
				return fmt.Errorf("%s, not as %q", strings.Join(others, ", "), o.mark())
			case len(indexes) > 0 && ours == 0:
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

// split counts the functions of this deployment in lines of names and marks, and says of
// the others how they were deployed.
func (o Options) split(lines string) (ours int, others []string) {
	for line := range strings.Lines(lines) {
		if name, mark, _ := strings.Cut(strings.TrimSpace(line), " "); mark == o.mark() {
			ours++
		} else {
			others = append(others, fmt.Sprintf("%s was deployed as %q", name, mark))
		}
	}
	return ours, others
}

// each adds the removal of everything that a command lists, a word each; remove is of $LINE.
func (p *Plan) each(title string, list, remove Command) {
	p.add(Step{Title: title, Look: list, Undo: []Command{remove.each(list)}})
}

// unindex adds the removal of indexes and settings of fields of the collections
// at the top that only functions use. Those of the others stay: an app may have
// collections of the same names elsewhere, which Firestore does not tell apart.
func (p *Plan) unindex() error {
	o := p.options
	var file struct {
		FieldOverrides []struct {
			CollectionGroup, FieldPath string
			TTL                        bool
		}
	}
	if err := json.Unmarshal(o.Indexes, &file); err != nil {
		return fmt.Errorf("firestore.indexes.json: %w", err)
	}
	on := func(group []string, args ...string) Command {
		return gcloud(slices.Concat([]string{"firestore"}, group, args, []string{o.project(), o.database()})...)
	}
	composite, fields, ttls := []string{"indexes", "composite"}, []string{"indexes", "fields"}, []string{"fields", "ttls"}
	ours := []string{names.Relations, names.Jobs}
	for _, group := range ours {
		list := on(composite, "list", fmt.Sprintf("--filter=name~%q", "/collectionGroups/"+group+"/indexes/"), "--format=value(name)")
		p.each("composite indexes of "+group, list, on(composite, "delete", "$"+varLine))
	}
	for _, f := range file.FieldOverrides {
		if !slices.Contains(ours, f.CollectionGroup) {
			continue
		}
		group := "--collection-group=" + f.CollectionGroup
		step := Step{
			Title: "settings of " + f.CollectionGroup + "." + f.FieldPath,
			Look:  on(fields, "list", fmt.Sprintf("--filter=name~%q", "/collectionGroups/"+f.CollectionGroup+"/fields/"+f.FieldPath+"$"), "--format=value(name)"),
		}
		if f.TTL {
			step.Undo = append(step.Undo, on(ttls, "update", f.FieldPath, group, "--disable-ttl"))
		}
		step.Undo = append(step.Undo, on(fields, "update", f.FieldPath, group, "--clear-exemption"))
		p.add(step)
	}
	return nil
}
