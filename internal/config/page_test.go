package config

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

const pageFile = "../../docs/configuration.md"

// The page says what the struct says: go generate ./internal/config writes it.
func TestThePageIsCurrent(t *testing.T) {
	want := page(t)
	if *update {
		if err := os.WriteFile(pageFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(pageFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/configuration.md is not what Functions says; go generate ./internal/config writes it (-want +got):\n%s", diff)
	}
}

const pageHead = `<!-- Written by go generate ./internal/config, from internal/config/functions.go. -->
# Configuration

The functions, and the command line for what both must agree on, are configured by environment variables. None but the project has to be set. A variable that is
not set, is empty or is 0 has its default.

A function that is deployed reads all of them when it starts, and checks them against each other and against the firestore.indexes.json that is deployed with it. If one is wrong it logs
one line for each, with the variable, its value and the rule, and ends; Cloud Run leaves the traffic with the revision before. A variable that begins with
` + "`RELATIONINDEX_`" + ` and is not in this list is wrong too: it is most likely one of them with a typing error. To see that before a deployment:

` + "```" + `
relationindex config check                                  # this shell's environment
(set -ae; . ./production.env; relationindex config check)   # and a file's over it: in the shell's syntax, values with spaces in quotes
` + "```" + `

All functions of one deployment, and the command line when it works on their database, must have the same values. Lists are separated by commas; space
around an item is ignored. Durations are written with their unit: 90s, 8m50s.
`

const pageTail = `
## Names and an app that has them already

A collection that is called otherwise in your app is named by its variable. Rename it in [firestore.rules](../firestore.rules) and [firestore.indexes.json](../firestore.indexes.json) too: both are complete
files, which are deployed as they are. A function that starts, ` + "`relationindex config check`" + ` and a deployment say which index or exemption is missing, with the JSON to add, and which collection the rules do not
match, or still name by its default: in a match, or in a path of exists() or get(), comments aside. That is a look at the text, and no proof. If your app has a collection of the default name itself, the rules are refused
for it: deploy them with firebase-tools, and relationindex with ` + "`--rules keep`" + `. Names cannot be changed once there is data: the functions would begin anew in other collections.

The other collections have one name everywhere: ` + "`_relations`, `_functions`, `_tombstones`, `followers_index`, `following` and `blocked`" + `. A second system in the same project has a database of its own:
[operations](operations.md#two-systems-in-one-project).

## Not of the functions

| variable | read by |
|---|---|
| ` + "`RELATIONINDEX_BINARY`" + ` | the tests in web/: a program that is built already |
| ` + "`FIRESTORE_EMULATOR_BINARY_PATH`, `JAVA_HOME`" + ` | tests and ` + "`relationindex dev`" + `: where the emulator and its Java are |
| ` + "`FUNCTION_TARGET`, `K_SERVICE`, `PORT`" + ` | the functions framework; Cloud Run sets them |
`

func page(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(pageHead)
	docs := readDocs(t)
	for _, s := range (Functions{}).Settings() {
		d := docs[s.Field]
		if d.group != "" {
			fmt.Fprintf(&out, "\n## %s\n\n| variable | type | default | must be | meaning | used by |\n|---|---|---|---|---|---|\n", d.group)
		}
		kind := s.Kind
		if s.Unit != "" {
			kind += ", " + s.Unit
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s |\n", s.Variable, kind, cmp.Or(s.Default, "none"), s.Rule, d.text, s.By)
	}
	out.WriteString(pageTail)
	return out.String()
}

// fieldDoc is what the source says of a field beside its tags.
type fieldDoc struct {
	group string // that begins with it; "" is the one before
	text  string // in one line, beginning with what the setting is
}

// readDocs reads the comments of Functions: one that begins with # names the group of the fields that follow.
func readDocs(t *testing.T) map[string]fieldDoc {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "functions.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	spec, ok := file.Scope.Lookup("Functions").Decl.(*ast.TypeSpec)
	if !ok {
		t.Fatal("no type Functions")
	}
	docs := map[string]fieldDoc{}
	last := spec.Pos()
	for _, field := range spec.Type.(*ast.StructType).Fields.List {
		d := fieldDoc{}
		for _, comment := range file.Comments {
			if text, ok := strings.CutPrefix(comment.Text(), "# "); ok && last < comment.Pos() && comment.Pos() < field.Pos() {
				d.group = strings.TrimSpace(text)
			}
		}
		name := field.Names[0].Name
		text := strings.Join(strings.Fields(field.Doc.Text()), " ")
		rest, ok := strings.CutPrefix(text, name+" ")
		if !ok {
			t.Errorf("the comment of %s does not begin with its name", name)
		}
		for _, verb := range []string{"is ", "are "} {
			rest = strings.TrimPrefix(rest, verb)
		}
		d.text = strings.ToUpper(rest[:1]) + rest[1:]
		docs[name] = d
		last = field.End()
	}
	return docs
}
