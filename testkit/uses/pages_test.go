package uses

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/internal/envfile"
	"example.com/relationindex/schema"
)

// Each page has the variables that its stories set, which are valid, and names its stories.
func TestPages(t *testing.T) {
	t.Parallel()
	block, named := regexp.MustCompile("(?s)\n```\n(RELATIONINDEX_.*?)\n```\n"), regexp.MustCompile(`TestUses/(\w+)`)
	var all strings.Builder
	for page, cfg := range map[string]schema.Config{
		"team-newsfeed": recruitingVariables, "sites": siteVariables, "inbox": inboxVariables, "filtered-timeline": filterVariables,
	} {
		text, err := os.ReadFile("../../docs/uses/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		variables := block.FindSubmatch(text)
		if variables == nil {
			t.Fatalf("%s has no variables", page)
		}
		got, want := strings.Split(string(variables[1]), "\n"), envfile.Variables(cfg)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("variables of %s (-want +got):\n%s", page, diff)
		}
		cfg.Project = "demo"
		if err := cfg.Validate(); err != nil {
			t.Errorf("%s: %v", page, err)
		}
		for _, name := range named.FindAllStringSubmatch(string(text), -1) {
			if !slices.ContainsFunc(uses, func(u use) bool { return strings.HasPrefix(u.name, name[1]) }) { // as -run takes them
				t.Errorf("%s names %s, which is no story", page, name[1])
			}
		}
		all.Write(text)
	}
	for _, u := range uses {
		if !strings.Contains(all.String(), "`"+u.name+"`") {
			t.Errorf("no page names %s", u.name)
		}
	}
}
