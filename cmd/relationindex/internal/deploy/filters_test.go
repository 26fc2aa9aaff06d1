package deploy_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.com/relationindex/cmd/relationindex/internal/deploy"
)

// The lists of a plan, for removal or for a check, are of one deployment: filters
// match whole values. gcloud's ":" matches words, and gcloud warns that "=" soon
// will too. "-" begins a new word, so blue would match blue-2.
func TestRemovalsAreOfOneDeployment(t *testing.T) {
	t.Parallel()
	blue := options()
	blue.Name, blue.Config.Database = "blue", "sea"
	blue.Config.AuthorFields, blue.NoFeed = []string{"name=authorName"}, true
	// The value from its start, or a name from a slash to its end; or that there is any value.
	whole := regexp.MustCompile(`^[a-zA-Z.-]+~"(\^[^"]+[$: ]|/[^"]+[$/])"$|^(NOT )?[a-zA-Z.]+:\*$|^environments:GEN_2$`)
	n := 0
	for _, o := range []deploy.Options{options(), blue} {
		p, err := deploy.New(o)
		if err != nil {
			t.Fatal(err)
		}
		removal, err := deploy.Removal(o, true)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range slices.Concat(commandsOf(p), commandsOf(removal)) {
			for _, arg := range c.Args {
				terms, ok := strings.CutPrefix(arg, "--filter=")
				if !ok {
					continue
				}
				n++
				for _, term := range strings.FieldsFunc(strings.ReplaceAll(strings.ReplaceAll(terms, " AND ", "\n"), " OR ", "\n"), func(r rune) bool { return r == '\n' }) {
					if !whole.MatchString(strings.Trim(term, "()")) && !whole.MatchString(term) {
						t.Errorf("the filter %q of %s matches words: %s", term, c, terms)
					}
				}
			}
		}
	}
	if n < 60 {
		t.Errorf("%d filters, want some 60", n)
	}
}

// commandsOf are all commands of a plan: what it asks, and what it does.
func commandsOf(p *deploy.Plan) []deploy.Command {
	var all []deploy.Command
	for _, c := range p.Checks {
		all = append(all, c.Ask)
	}
	for _, s := range p.Steps {
		all = slices.Concat(all, []deploy.Command{s.Look}, s.Create, s.Update, s.Undo)
	}
	for _, c := range all {
		all = append(all, deploy.Command{Args: c.Each})
	}
	return slices.DeleteFunc(all, func(c deploy.Command) bool { return c.Args == nil })
}
