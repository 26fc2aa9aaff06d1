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

Environment variables configure the functions.
A variable that is empty or not set has its default.
Durations have a unit: 90s, 8m50s.

A function with a wrong variable does not start, and Cloud Run keeps the previous revision.
An unknown variable that begins with ` + "`" + `RELATIONINDEX_` + "`" + `, such as a [removed](../CHANGELOG.md#removed) one, is wrong too.
Check before you deploy; errors state the full rule of a value:

` + "`" + `` + "`" + `` + "`" + `
GOOGLE_CLOUD_PROJECT=P relationindex config check
` + "`" + `` + "`" + `` + "`" + `

## A file of variables

Commands, ` + "`" + `relationindex dev` + "`" + ` and deployments read ` + "`" + `relationindex.env` + "`" + ` in the working directory.
Variables of your shell replace those of the file.
` + "`" + `RELATIONINDEX_ENV` + "`" + ` names another file; if it is empty, no file is read.

` + "`" + `` + "`" + `` + "`" + `
# relationindex.env
RELATIONINDEX_FEEDS=relations,buckets
RELATIONINDEX_CAP=500
RELATIONINDEX_COPIED_FIELDS=text, likes
` + "`" + `` + "`" + `` + "`" + `

Each line is NAME=value without quotes, a comment, or empty.
Set secrets, the project and emulators in the shell: a file with them is rejected.

## What the functions run with

Functions store their variables, except secrets, in ` + "`" + `_settings/functions` + "`" + ` when they start.

* **Commands** use the stored value of each variable that you do not set.
  If your value differs, most commands stop with exit code 2. With ` + "`" + `--differ NAMES` + "`" + `, the command uses your values.
  Without ` + "`" + `--differ` + "`" + `, only the log level and the variables of "What accounts may do" and "The endpoint Feed" may differ.
* **Deployments** stop if any variable would change, also to its default, unless ` + "`" + `--differ NAMES` + "`" + ` names it.
* **Gaps.** A delivery that was off lacks the posts and follows of that time.
  A gap also follows a change of the layout, ` + "`" + `RELATIONINDEX_SETTINGS` + "`" + `, ` + "`" + `RELATIONINDEX_IDLE` + "`" + `, ` + "`" + `RELATIONINDEX_COPIED_FIELDS` + "`" + ` or ` + "`" + `RELATIONINDEX_NO_OWN_POSTS` + "`" + `, and a restore.
  Functions store the gap, and commands report it.
  After the deployment, ` + "`" + `relationindex repair` + "`" + ` closes the gap.
  Between ` + "`" + `undeploy` + "`" + ` and a deployment, nothing stores gaps: after that deployment, repair too.

Until functions have started, nothing is stored: set all variables yourself.
`

const pageTail = `
## Rename collections

If your app has other names for these collections, set these variables before there is data; never change them afterwards.
Also rename the collections in [firestore.rules](../firestore.rules) and [firestore.indexes.json](../firestore.indexes.json).
` + "`" + `relationindex config check` + "`" + ` and deployments report what you missed.
If your app has another collection of a default name, deploy the rules with firebase-tools, and relationindex with ` + "`" + `--rules keep` + "`" + `.

An app that [builds the functions itself](../examples/embed/README.md) can also set its deliveries, its ranking, and how work is cut into jobs: see [schema.Config](../schema/config.go).
Tests and dev read ` + "`" + `FIRESTORE_EMULATOR_BINARY_PATH` + "`" + ` and ` + "`" + `JAVA_HOME` + "`" + `, the emulator's and Java's paths.
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
			fmt.Fprintf(&out, "\n## %s\n\n|variable|default|must be|meaning|\n|---|---|---|---|\n", d.group)
		}
		rule, _, _ := strings.Cut(s.Rule, ": ") // errors have the rest
		if s.Kind == s.Rule {
			rule = "" // true or false, as its default shows
		}
		if rule != "" && s.Rule == last {
			rule = "the same"
		}
		last = s.Rule
		fmt.Fprintf(&out, "|`%s`|%s|%s|%s|\n", s.Variable, cmp.Or(s.Default, "none"), rule, d.text)
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
