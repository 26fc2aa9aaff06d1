package deploy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"example.com/relationindex/functions/triggers"
	"example.com/relationindex/schema/names"
)

// Removal returns the plan that removes a deployment. Functions are removed first, so that
// no event finds half a deployment. The plan covers every function that any configuration may
// deploy, and every resource with the deployment's mark.
//
// Rules, data, Feed's custom role and the secret with the tombstone key stay. If indexes is true, the plan removes
// the indexes of relations and jobs, with their field settings and the time-to-live. All other indexes stay.
//
// The options must be valid. Removal uses no files of the options, except Indexes if indexes is true.
func Removal(o Options, indexes bool) (*Plan, error) {
	if o.ConfigErr != nil {
		return nil, o.ConfigErr // the error may be in the database's name
	}
	o.NoFeed = false
	o.Sample = 0 // the job is removed in any case
	p := newPlan(o)
	p.removal, p.functions = true, p.options.functions(triggers.All(o.Config))
	if err := p.list("undeploy", template.FuncMap{"indexes": func() bool { return indexes }}); err != nil {
		return nil, err
	}
	p.Checks = p.options.removalChecks(indexes)
	return p, nil
}

// removalChecks returns the checks of a removal, with or without the indexes.
func (o Options) removalChecks(indexes bool) []Check {
	all := slices.DeleteFunc(o.checks(), func(c Check) bool {
		return !slices.Contains([]string{needGcloud, needAlpha, needSignedIn, needProject}, c.Name)
	})
	all = append(all, o.owned(indexes), Check{
		Name: "secret", Want: "gcloud may list secrets: undeploy removes roles only from existing secrets", Ask: gcloud("secrets", "list", o.project(), "--limit=1", "--format=value(name)"), Needs: []string{needProject},
		Fix: gcloud("services", "enable", "secretmanager.googleapis.com", o.project()).String() + ", and ask for a role that may list secrets",
	})
	if indexes {
		all = append(all, o.alone("undeploy without --indexes: the other deployment needs them", needProject))
	}
	return all
}

// owned returns the check that the functions of this name belong to this deployment, on this database.
// If indexes is false, the check fails only if functions exist and all belong to other deployments.
// Indexes carry no mark, so a removal with indexes requires a function of this deployment as proof.
func (o Options) owned(indexes bool) Check {
	all := triggers.Names()
	for i, name := range all {
		all[i] = o.function(name)
	}
	return Check{
		Name: "owned", Want: "not all functions of this name belong to deployments other than " + o.mark() + "; with --indexes, at least one function exists, and all belong to " + o.mark(),
		Ask: gcloud("functions", "list", "--v2", o.project(), "--regions="+o.Region,
			fmt.Sprintf("--filter=name~%q", "/functions/("+strings.Join(all, "|")+")$"), values("name.basename()", "labels."+labelName)),
		Fix: "set RELATIONINDEX_DATABASE, --name and --region to what was deployed", Needs: []string{needProject},
		holds: says(func(answer string) error {
			ours, others := o.split(answer)
			switch {
			case len(others) > 0 && (indexes || ours == 0):
				return fmt.Errorf("%s, but this command removes only functions deployed as %q", strings.Join(others, ", "), o.mark())
			case indexes && ours == 0:
				return problem{
					fmt.Errorf("no function was deployed as %q, so the indexes of the database %s may belong to something else", o.mark(), o.Config.DatabaseID()),
					"to remove the rest of the deployment, run undeploy without --indexes. If nothing uses the indexes any more, run the commands for indexes that undeploy --indexes --dry-run prints",
				}
			default:
				return nil
			}
		}),
	}
}

// split reads lines with the name and the mark of a function. It counts the functions of this
// deployment, and describes the other functions with their marks.
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

// onlyOurs lists the top-level collections that only functions use. A removal with indexes removes their
// indexes and field settings. The indexes and settings of other collections stay. An app may have
// collections with the ids of ours elsewhere, and Firestore gives both the same indexes.
var onlyOurs = []string{names.Relations, names.Jobs}

// override is a field with its own settings, in a collection of onlyOurs.
type override struct {
	CollectionGroup, FieldPath string
	TTL                        bool
}

// overrides returns the overrides of onlyOurs in firestore.indexes.json.
func (o Options) overrides() ([]override, error) {
	var file struct{ FieldOverrides []override }
	if err := json.Unmarshal(o.Indexes, &file); err != nil {
		return nil, fmt.Errorf("firestore.indexes.json: %w", err)
	}
	return slices.DeleteFunc(file.FieldOverrides, func(f override) bool { return !slices.Contains(onlyOurs, f.CollectionGroup) }), nil
}
