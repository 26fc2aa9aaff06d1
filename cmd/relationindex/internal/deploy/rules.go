package deploy

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	module "example.com/relationindex"
	"example.com/relationindex/internal/console"
	"example.com/relationindex/internal/rulestext"
)

// The marks stand around what our rules have in the block of all documents. An app copies it, marks included, into its own file.
const (
	beginMark = "// relationindex begins"
	endMark   = "// relationindex ends"
)

var (
	comment = regexp.MustCompile(`(?m)^[ \t]*(//.*)?\n`)
	blank   = regexp.MustCompile(`\s+`)
)

// uploaded returns the text of rules without lines of comments, except the marks, and without empty lines: half of the bytes.
// Google rejects rules of some 50 KB now and then (firebase-tools 2735, 2127).
func uploaded(rules []byte) []byte {
	return comment.ReplaceAllFunc(rules, func(line []byte) []byte {
		if text := string(bytes.TrimSpace(line)); text == beginMark || text == endMark {
			return line
		}
		return nil
	})
}

// bare returns the text of rules without comments and blanks.
func bare(rules string) string { return blank.ReplaceAllString(rulestext.Bare(rules), "") }

// block returns what stands between the marks of our rules.
func block(rules []byte) string {
	_, text, _ := strings.Cut(string(rules), beginMark)
	text, _, _ = strings.Cut(text, endMark)
	return text
}

// documents is the block of all documents, in which ours stands.
const documents = "match/databases/{database}/documents{"

// hasRules reports whether rules have what stands between the marks of ours, in the block of all documents.
func hasRules(rules string, ours []byte) bool {
	before, _, found := strings.Cut(bare(rules), bare(block(ours)))
	return found && strings.Contains(before, documents) && strings.Count(before, "{")-strings.Count(before, "}") == 2
}

// beside returns what a person should know of the rules beside ours: they only add permissions.
func beside(rules string, ours []byte) string {
	if rest := strings.Replace(bare(rules), bare(block(ours)), "", 1); regexp.MustCompile(`=\*\*\}\{`).MatchString(strings.ReplaceAll(rest, "match/{document=**}{allowread,write:iffalse;}", "")) {
		return "The database's rules have a match of everything (**) beside ours. What it allows, ours cannot forbid."
	}
	return ""
}

// lacks returns the lines of our block that rules do not have, as far as a person reads them.
func lacks(rules string, ours []byte) string {
	has, lines, more := bare(rules), []string{}, 0
	for line := range strings.Lines(string(uploaded([]byte(block(ours))))) {
		if text := bare(line); text == "" || strings.Contains(has, text) {
			continue
		}
		if len(lines) == maxLines {
			more++
			continue
		}
		lines = append(lines, strings.TrimRight(console.Printable(strings.TrimSuffix(line, "\n")), " "))
	}
	switch {
	case len(lines) == 0:
		return "it has all their lines: in another order, with others between them, or not directly in match /databases/{database}/documents"
	case more > 0:
		lines = append(lines, "and "+console.Counted(more, "other line"))
	}
	return "missing, or changed:\n" + strings.Join(lines, "\n")
}

const maxLines = 20

// variants are our rules, by the flags that choose them.
func variants() map[string][]byte {
	all := map[string][]byte{}
	for flags, rules := range map[string][]byte{"--rules standard": module.FirestoreRules, "--rules feed-only": module.FirestoreFeedOnlyRules} {
		all[flags] = rules
		if paced, err := rulestext.Paced(rules); err == nil {
			all[flags+" --pace"] = paced
		}
	}
	return all
}

// locked has the rules of a new database in production mode, without comments and
// blanks. They deny every client all access.
var locked = bare(`rules_version='2'; service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write: if false; } } }`)

// isLocked reports whether rules let no client in.
func isLocked(rules string) bool {
	text := bare(rules)
	return text == "" || text == locked || "rules_version='2';"+text == locked
}

// rulesCheck returns the check that the database has our rules, or that writing them takes nothing from anybody: it has none, and
// neither users nor posts. Rules only add permissions, so what stands beside ours is the app's own.
func (o Options) rulesCheck() Check {
	return Check{
		Name: "rules", Want: "the database's rules have what stands between the marks of ours, which are then not written; or the database lets no client in, and has no users and posts",
		Ask: token, Fix: "ask for a role that reads the rules and the database",
		Needs: []string{needDatabase},
		holds: func(ctx context.Context, m *Machine, token string) error {
			g := o.google(m, token)
			live, err := g.rules(ctx)
			if err != nil && !errors.Is(err, errNotFound) {
				return err
			}
			m.Rules = keep
			switch {
			case hasRules(live, o.Rules):
				if note := beside(live, o.Rules); note != "" {
					fmt.Fprintln(m.Out, note)
				}
				return nil
			case isLocked(live):
				users, err := g.has(ctx, o.Config.Collections().Users)
				posts, err2 := g.has(ctx, o.Config.Collections().Posts)
				if err := errors.Join(err, err2); err != nil {
					return err
				}
				if !users && !posts {
					m.Rules = write
					return nil
				}
				return problem{fmt.Errorf("no client may read or write this database now: only servers use it, and it has users or posts. By our rules, every signed-in account lists profiles and posts, and writes its own. See %s", o.rulesPage()), o.byHand()}
			}
			fix := o.byHand()
			for flags, rules := range variants() {
				if hasRules(live, rules) {
					fix = "it has those of " + flags + ": add these flags; or, to change them, " + fix
				}
			}
			return problem{fmt.Errorf("the database has other rules: %s\n%s", o.rulesPage(), lacks(live, o.Rules)), fix}
		},
	}
}

// byHand says how a person writes our rules.
func (o Options) byHand() string {
	return "in an upgrade, deploy with --rules keep first; then write them with this deployment's flags and --dry-run --files DIR, which makes DIR/firestore.rules: put what stands between its marks into your rules, and deploy these with firebase-tools; " +
		"if your database has no others, run: firebase deploy --only firestore:rules --config DIR/firebase.json --project " + o.Project + ". Then run this again. If you have changed ours on purpose, add --rules keep"
}

// rulesPage returns the URL of the console's page with the rules of the database.
func (o Options) rulesPage() string {
	return "https://console.firebase.google.com/project/" + o.Project + "/firestore/databases/" + cmp.Or(o.Config.Database, "-default-") + "/rules"
}
