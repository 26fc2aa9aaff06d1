package main

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// The commands of ours that pages, error hints and the help name work as described: each
// parses, and has --live if it writes to a project that may be real.
func TestPagesNameCommandsThatWork(t *testing.T) {
	named := map[string][]string{} // where: commands
	for _, file := range pages(t) {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		named[file] = commandsOn(file, string(text))
	}
	var examples func(*cobra.Command)
	examples = func(cmd *cobra.Command) {
		named[cmd.CommandPath()+" --help"] = shellLines(cmd.Example)
		for _, child := range cmd.Commands() {
			examples(child)
		}
	}
	examples(newRoot())
	all := 0
	for _, where := range slices.Sorted(maps.Keys(named)) {
		for _, command := range named[where] {
			all++
			if err := works(command); err != nil {
				t.Errorf("%s: %s: %v", where, command, err)
			}
		}
	}
	if all < 100 {
		t.Errorf("%d commands were found, want 100 and more", all)
	}
}

// The rules of TestPagesNameCommandsThatWork, applied to invalid commands.
func TestInvalidCommandsAreFound(t *testing.T) {
	for command, want := range map[string]bool{
		"relationindex verify":                                                  true,
		"relationindex jobs":                                                    true,
		"relationindex jobs list --state failed":                                true,
		"relationindex repair --project P --live":                               true,
		"relationindex repair --project P --dry-run":                            true,
		"relationindex repair --project demo-p":                                 true,
		"relationindex horizon --project P":                                     true,
		"relationindex horizon 720h --project P":                                false,
		"relationindex brake --project P":                                       true,
		"relationindex brake off --project P":                                   false,
		"relationindex verify --author U --project P":                           true,
		"relationindex verify --sample --project P":                             false,
		"go run ./cmd/relationindex deploy --project P --location L --region R": true,
		"relationindex repair --project P":                                      false,
		"relationindex jobs retry":                                              true, // a name
		"relationindex jobs retry a b":                                          false,
		"relationindex jobs restart a":                                          false,
		"relationindex verify --all":                                            false,
		"relationindex verify --live":                                           false,
		"relationindex repair --live":                                           false,
		"relationindex deploy --dry-run":                                        false,
		"relationindex mend":                                                    false,
	} {
		if err := works(command); (err == nil) != want {
			t.Errorf("%s: %v, want that it works: %v", command, err, want)
		}
	}
	text := "Run `relationindex verify`, then `jobs retry ID`.\n```\nrelationindex trace u  # all\n(. x; relationindex cost) && relationindex dev --workers 2 \\\n  --capacity 3\n```\n"
	want := []string{"relationindex verify", "relationindex jobs retry ID", "relationindex trace u", "relationindex cost", "relationindex dev --workers 2    --capacity 3"}
	if got := commandsOn("a.md", text); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// docs/where.md names files and folders that are there.
func TestWherePageNamesExistingFiles(t *testing.T) {
	text, err := os.ReadFile("../../docs/where.md")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, m := range inline.FindAllStringSubmatch(string(text), -1) {
		if strings.Contains(m[1], " ") || !strings.Contains(m[1], "/") && path.Ext(m[1]) == "" && m[1] != "sending" {
			continue // a command, or the name of a function
		}
		all++
		if _, err := os.Stat("../../" + m[1]); err != nil {
			t.Error(err)
		}
	}
	if all < 100 {
		t.Errorf("%d paths were found, want 100 and more", all)
	}
}

// pages are the files that name commands: Markdown, and our programs.
func pages(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "dist"):
			return fs.SkipDir
		case path.Ext(name) == ".md", path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go"), path.Dir(name) == "scripts":
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	fenced = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	inline = regexp.MustCompile("`([^`\n]+)`")
	hinted = regexp.MustCompile(`'(relationindex [^'\n]+)'`)
	jobsOf = regexp.MustCompile(`^jobs (list|show|wait|retry|cancel)\b`)
	ours   = regexp.MustCompile(`(?:^|[\s(])((?:go run \./cmd/)?relationindex [^#|&;)<>]*)`)
)

// commandsOn are those that a file names, without comments and what a shell does with them.
func commandsOn(file, text string) []string {
	var found []string
	if path.Ext(file) != ".md" {
		for _, m := range hinted.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		if path.Dir(file) == "scripts" {
			found = append(found, shellLines(text)...)
		}
		return found
	}
	text = fenced.ReplaceAllStringFunc(text, func(block string) string {
		return "`" + strings.ReplaceAll(strings.ReplaceAll(strings.Trim(block, "`"), "\\\n", " "), "\n", "`\n`") + "`"
	})
	for _, m := range inline.FindAllStringSubmatch(text, -1) {
		if jobsOf.MatchString(m[1]) {
			m[1] = "relationindex " + m[1]
		}
		found = append(found, shellLines(m[1])...)
	}
	return found
}

// shellLines are the commands of a shell's lines.
func shellLines(text string) []string {
	var found []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		for _, m := range ours.FindAllStringSubmatch(line, -1) {
			found = append(found, strings.TrimSpace(m[1]))
		}
	}
	return found
}

// works says why a command is none of ours. A name alone, with nothing behind
// it, may stand for the command in a sentence.
func works(command string) error {
	_, rest, _ := strings.Cut(command, "relationindex ")
	cmd, args, err := newRoot().Find(strings.Fields(rest))
	if err != nil {
		return err
	}
	if len(args) == 0 || args[0] == "--help" || args[0] == `"$@"` {
		return nil
	}
	if cmd.HasSubCommands() {
		return errors.New(args[0] + " is none of its commands")
	}
	if err := errors.Join(cmd.ParseFlags(args), cmd.ValidateRequiredFlags(), cmd.ValidateArgs(cmd.Flags().Args())); err != nil {
		return err
	}
	live := cmd.Flags().Lookup("live")
	if live == nil {
		return nil
	}
	project, _ := cmd.Flags().GetString("project")
	dryRun, _ := cmd.Flags().GetBool("dry-run")
	sample, _ := cmd.Flags().GetBool("sample")
	prints := cmd.Flags().NArg() == 0 && (cmd.Name() == "horizon" || cmd.Name() == "brake")
	reads := dryRun || prints || cmd.Name() == "verify" && !sample
	switch mayBeReal := project != "" && !strings.HasPrefix(project, "demo-"); {
	case mayBeReal && !reads && !live.Changed:
		return errors.New("it writes to a project that may be real, and has no --live")
	case !mayBeReal && live.Changed:
		return errors.New("it has --live, and names no project that may be real")
	}
	return nil
}
