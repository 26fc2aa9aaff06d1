package coexist

import (
	"fmt"
	"slices"
	"strings"
)

// Finding is an effect of the app's next firebase deploy on a deployment's resources.
type Finding struct {
	// Deploys is what firebase deploys: rules, indexes or functions.
	Deploys string
	// Undoes: firebase deploy removes or changes something of ours, at once or after a person confirms.
	Undoes bool
	// Says describes the effect. Lists names the affected items.
	Says  string
	Lists []string
	// Fix says what to do; "": nothing.
	Fix string
}

// Findings describes the effect of the app's next `firebase deploy` on our rules, indexes and functions.
func (a *App) Findings(ourRules string, ours *Indexes) []Finding {
	return slices.Concat(a.rules(ourRules), a.indexes(ours), a.functions())
}

func (a *App) rules(ours string) []Finding {
	if a.RulesFile == "" {
		return []Finding{{Deploys: "rules", Says: "firebase.json names no rules for this database: it leaves those of the database alone"}}
	}
	c := Between(ours, a.Rules)
	first := Finding{Deploys: "rules", Undoes: len(c.Gone) > 0, Lists: c.Gone, Says: "it replaces all rules of the database by " + a.RulesFile + ", without asking; "}
	if first.Undoes {
		first.Says += "these match blocks of ours are not in it, and clients may no longer do what they allow"
		first.Fix = "copy these blocks, and the functions that they call, from firestore.rules of relationindex into " + a.RulesFile
	} else {
		first.Says += "that has every match block of ours"
	}
	return listed(first, Finding{Deploys: "rules", Says: "these match blocks are in both files, with other conditions: that is right where you changed them on purpose", Lists: c.Changed})
}

// listed returns the first finding, and the other findings with a non-empty Lists.
func listed(first Finding, others ...Finding) []Finding {
	return append([]Finding{first}, slices.DeleteFunc(others, func(f Finding) bool { return len(f.Lists) == 0 })...)
}

func (a *App) indexes(ours *Indexes) []Finding {
	if a.IndexesFile == "" {
		return []Finding{{Deploys: "indexes", Says: "firebase.json names no indexes for this database: it leaves those of the database alone"}}
	}
	c := Compare(a.Indexes, ours)
	var missing, replaced, other []string
	for _, x := range c.Composites {
		missing = append(missing, x.Group+" "+x.String())
	}
	for _, o := range c.Overrides {
		missing = append(missing, fmt.Sprintf("the override of %s.%s", o.Group, o.Path))
	}
	for _, d := range c.Differ {
		if d.Serves() && !d.OnlyOurs {
			other = append(other, d.String())
		} else {
			replaced = append(replaced, d.String())
		}
	}
	const merge = "deploy-check --write-merged FILE writes a file with both"
	found := listed(Finding{Deploys: "indexes", Says: a.IndexesFile + " has all of ours"},
		Finding{
			Deploys: "indexes", Undoes: true, Lists: missing, Fix: merge,
			Says: "it asks whether to delete these of ours, which are not in " + a.IndexesFile + "; the default answer is no, --non-interactive keeps them, and --force deletes them without asking",
		},
		Finding{Deploys: "indexes", Undoes: true, Lists: replaced, Fix: merge, Says: "it replaces these overrides by those of " + a.IndexesFile + ", without asking"},
		Finding{Deploys: "indexes", Lists: other, Says: "these overrides of the app serve both, and stay"})
	if len(found) > 1 {
		return found[1:]
	}
	return found
}

func (a *App) functions() []Finding {
	if !a.Functions {
		return nil
	}
	return []Finding{{
		Deploys: "functions",
		Says:    "it leaves functions of ours alone: firebase-tools deletes only functions with the label deployment-tool=cli-firebase, and ours are deployed by gcloud; --force changes nothing of that. Give none of yours the name of one of ours, in the same region",
	}}
}

// Text returns findings as text for a person.
func Text(findings []Finding) string {
	var out strings.Builder
	last := ""
	for _, f := range findings {
		if f.Deploys != last {
			last = f.Deploys
			fmt.Fprintf(&out, "firebase deploy: %s\n", last)
		}
		kind := "ok"
		if f.Undoes {
			kind = "UNDOES"
		}
		fmt.Fprintf(&out, "  %-6s  %s\n", kind, f.Says)
		for _, line := range f.Lists {
			fmt.Fprintf(&out, "            %s\n", line)
		}
		if f.Fix != "" {
			fmt.Fprintf(&out, "          fix: %s\n", f.Fix)
		}
	}
	return out.String()
}
