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

	"example.com/relationindex/schema"
)

var update = flag.Bool("update", false, "write docs/configuration.md and firestore.feed-only.rules")

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
		t.Errorf("docs/configuration.md is not what Config says; go generate ./internal/config writes it (-want +got):\n%s", diff)
	}
}

const pageHead = `<!-- Written by go generate ./internal/config, from schema/config.go. -->
# Configuration

Environment variables configure the functions; only the project is required.
A variable that is not set, or empty, has its default. 0 is an error if the variable must be at least 1.
Keep the variables of a system in a committed file, [relationindex.env](#a-file-of-variables).
Separate the items of a list by commas; space around an item is ignored.
Write durations with a unit: 90s, 8m50s.

A deployed function checks all variables when it starts, also against its firestore.indexes.json.
It logs a line for each wrong one, with the variable, its value and the rule, and exits; Cloud Run keeps the traffic on the previous revision.
An unknown variable that begins with ` + "`RELATIONINDEX_`" + `, such as one that [went](../CHANGELOG.md#removed), is wrong too: deployments and commands stop before they change anything.
To check before a deployment:

` + "```" + `
GOOGLE_CLOUD_PROJECT=P relationindex config check                # relationindex.env, and this shell's environment over it
GOOGLE_CLOUD_PROJECT=P RELATIONINDEX_ENV=blue.env relationindex config check
` + "```" + `

## A file of variables

Commands, ` + "`relationindex dev`" + ` and deployments read ` + "`relationindex.env`" + ` in the working directory, or the file that ` + "`RELATIONINDEX_ENV`" + ` names (empty: none).
The shell's variables count over it.

` + "```" + `
# relationindex.env
RELATIONINDEX_FEEDS=relations,buckets
RELATIONINDEX_CAP=500
RELATIONINDEX_COPIED_FIELDS=text, likes
` + "```" + `

Each line is NAME=value, empty, or a comment that begins with #.
A value is taken as it is, without quotes.
The file has ` + "`RELATIONINDEX_`" + ` variables alone, and at most 64 KiB.
Secrets, the project and emulators belong in the shell: the file is refused with them.

## What the functions run with

Functions store their variables in ` + "`_settings/functions`" + ` when they start, but no secrets.

* **Commands** take each variable from there that your shell and file do not set.
  If these set another value, a command prints both, and stops with exit code 2 before it changes anything.
  With ` + "`--differ NAMES`" + `, it works with yours all the same.
  ` + "`survey`, `export`, `jobs list`, `jobs show`, `jobs wait` and `jobs cancel`" + ` only print them.
  Each process may have its own log level, and values of the sections "What accounts may do" and "The endpoint Feed".
* **Deployments** stop if any variable would change, also to its default, unless ` + "`--differ NAMES`" + ` names it.
* **Gaps.** A delivery that was off and is on again has not brought what came meanwhile.
  The same holds after ` + "the layout in `RELATIONINDEX_FEEDS`, `RELATIONINDEX_SETTINGS`, `RELATIONINDEX_IDLE`, `RELATIONINDEX_COPIED_FIELDS` or `RELATIONINDEX_NO_OWN_POSTS`" + ` has changed, and after an import or a restore of the document.
  Between ` + "`undeploy`" + ` and the next deployment nothing runs that could store a gap: run ` + "`relationindex repair`" + ` then.
  Functions log a warning and store the gap, every command names it, and ` + "`verify` and `verify-timelines`" + ` exit with 1.
  When the deployment has ended, ` + "`relationindex repair`" + ` mends all deliveries and closes the gap.

Until functions of this release have started, there is no such document: then commands go by your shell and file alone, so set all variables.
`

const pageTail = `
## Rename collections

If your app has other names for these collections, set the variables above.
Rename them in [firestore.rules](../firestore.rules) and [firestore.indexes.json](../firestore.indexes.json) too, which are deployed as they are.
You cannot change a name once there is data: the functions would start anew in another collection.

Functions, ` + "`relationindex config check`" + ` and deployments report a missing index or exemption, with the JSON to add.
The check and deployments also report rules that do not match a collection, or still name it by its default in a match, exists() or get().
If your app has another collection of the default name, deploy the rules with firebase-tools, and relationindex with ` + "`--rules keep`" + `.

You cannot rename ` + "`_relations`, `_functions`, `_tombstones`, `followers_index`, `following`, `blocked` and `requests`" + `.
A [second system](operations.md#two-systems-in-one-project) in the project has its own database.

## What has no variable

An app that [builds the functions itself](../examples/embed/README.md) may set more: its deliveries and its ranking, and how work is cut into jobs (InlineLimit, Chunk, Lease, Step, Range, Parallel, FollowersBytes).
[schema.Config](../schema/config.go) has them all, with their defaults.

## Other variables

|variable|read by|
|---|---|
|` + "`RELATIONINDEX_BINARY`" + `|the tests in web/: an existing build of the program|
|` + "`FIRESTORE_EMULATOR_BINARY_PATH`, `JAVA_HOME`" + `|tests and ` + "`relationindex dev`" + `: the paths of the emulator and Java|
|` + "`RELATIONINDEX_ENV`" + `|commands, dev and deployments: the path of the [file of variables](#a-file-of-variables)|
|` + "`FUNCTION_TARGET`, `K_SERVICE`, `PORT`" + `|the functions framework; Cloud Run sets them|
`

func page(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(pageHead)
	docs, last := readDocs(t), ""
	for _, s := range (schema.Config{}).Settings() {
		if s.Tests {
			continue
		}
		d := docs[s.Field]
		if d.group != "" {
			last = ""
			fmt.Fprintf(&out, "\n## %s\n\n|variable|type|default|must be|meaning|used by|\n|---|---|---|---|---|---|\n", d.group)
		}
		rule := s.Rule
		if rule == last {
			rule = "the same"
		}
		last = s.Rule
		fmt.Fprintf(&out, "|`%s`|%s|%s|%s|%s|%s|\n", s.Variable, s.Kind, cmp.Or(s.Default, "none"), rule, d.text, s.By)
	}
	out.WriteString(pageTail)
	return out.String()
}

// fieldDoc is what the source says of a field beside its tags.
type fieldDoc struct {
	group string // that begins with it; "" is the one before
	text  string // in one line, beginning with what the setting is
}

// readDocs reads the comments of Config: one that begins with # names the group of the fields that follow.
func readDocs(t *testing.T) map[string]fieldDoc {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../schema/config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	spec, ok := file.Scope.Lookup("Config").Decl.(*ast.TypeSpec)
	if !ok {
		t.Fatal("no type Config")
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
