package deploy

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/internal/console"
)

// The kinds of rules that a deployment writes, as their first line has them.
const (
	kindStandard = ""
	kindFeedOnly = FeedOnlyRules
	kindFile     = "file " // and the file's name, quoted

	kindPaced = "--pace" // behind each of these
)

// rules returns what is deployed, behind a line that marks it: with its kind, and the digest
// of what follows. Rules that a person has changed since are that person's.
func (o Options) rules() []byte {
	text := o.Rules
	if strings.HasPrefix(o.rulesKind(), kindFile) {
		text = o.OwnRules
	}
	mark := "// " + o.marked() + strings.TrimSpace(o.rulesKind()+" "+digest(string(text))) + "\n"
	return append([]byte(mark), text...)
}

// rulesKind returns which rules are deployed, and whether they have a pace. Of a file it has
// the name without folders: a file of another name does not follow it.
func (o Options) rulesKind() string {
	kind := kindStandard
	switch o.RulesFile {
	case "", StandardRules:
	case FeedOnlyRules:
		kind = kindFeedOnly
	default:
		kind = kindFile + strconv.Quote(filepath.Base(o.RulesFile))
	}
	if o.Pace {
		kind = strings.TrimSpace(kind + " " + kindPaced)
	}
	return kind
}

// rulesTitle is the title of the step that deploys rules; "" if none does.
func (o Options) rulesTitle() string {
	switch {
	case o.RulesFile == KeepRules:
		return ""
	case o.Pace:
		return "rules, with a pace: clients that write no rates are rejected"
	default:
		return "rules"
	}
}

// withoutPace returns a kind of rules, whether they have a pace or not.
func withoutPace(kind string) string { return strings.TrimSpace(strings.TrimSuffix(kind, kindPaced)) }

// liveKind returns the kind of rules that this deployment wrote, of any release, and
// nobody has changed since; false for others.
func (o Options) liveKind(live string) (kind string, ours bool) {
	first, rest, _ := strings.Cut(live, "\n")
	kind, begins := strings.CutPrefix(first, "// "+o.marked())
	kind, ends := strings.CutSuffix(kind, digest(rest))
	kind = strings.TrimSpace(kind)
	which := withoutPace(kind)
	return kind, begins && ends && (which == kindStandard || which == kindFeedOnly || strings.HasPrefix(which, kindFile))
}

// mayReplace is an error if something may be lost when the rules of the database are
// replaced by those of the deployment. Nothing is if they are the same, or an earlier text of
// the person's file of that name; and nothing that the person does not know who gives their
// digest. For locked rules, see mayOpen.
//
// Feed-only rules are never replaced by a deployment that says nothing of rules: it
// has forgotten to, and would show readers who else follows.
func (o Options) mayReplace(live string) error {
	sum := o.liveDigest(live)
	what, fix := "", "say --replace-rules="+sum+"; or --rules keep, and they stay"
	kind, ours := o.liveKind(live)
	name, file := strings.CutPrefix(kind, kindFile)
	switch {
	case live == string(o.rules()):
		return nil
	case ours && withoutPace(kind) == kindFeedOnly && o.RulesFile == "":
		what = "those of --rules feed-only"
		fix = "say --rules feed-only again; or, so that clients read relations, --rules standard --replace-rules=" + sum
	case o.ReplaceRules == sum, ours && file && kind == o.rulesKind():
		return nil
	case ours && file:
		what = "those of a file, by --rules " + name
	case ours && kind != o.rulesKind():
		what = "the others of ours, " + o.otherKind(kind)
	case ours:
		what = "ours of another release"
		fix = "read what rules of this release refuse, docs/operations/upgrade.md, and " + fix
	default:
		what = "rules that are not ours"
		fix = "copy the match blocks of " + fileRules + " into the database's rules and deploy with --rules FILE, and when nothing of theirs is missing there, " + fix
	}
	return problem{fmt.Errorf("the database has %s; deploying would replace them all: %s\n%s", what, o.rulesPage(), difference(live, string(o.rules()))), fix}
}

// otherKind describes how another kind of rules differs.
func (o Options) otherKind(kind string) string {
	switch paced := kind != withoutPace(kind); {
	case paced && !o.Pace:
		return "by which acts have a pace"
	case !paced && o.Pace:
		return "by which acts have no pace; clients must write rates before they have one, docs/rules.md"
	case withoutPace(kind) == kindFeedOnly:
		return "by which clients do not read relations"
	}
	return "by which clients read relations"
}

// difference describes the change of rules for a person: the removed and added blocks, and their lines.
func difference(live, next string) string {
	var out strings.Builder
	c := coexist.Between(live, next)
	for _, part := range []struct {
		what  string
		paths []string
	}{{"in the database alone, and gone then", c.Gone}, {"changed", c.Changed}, {"new", c.Added}} {
		if len(part.paths) > 0 {
			fmt.Fprintf(&out, "match blocks %s: %s\n", part.what, strings.Join(part.paths, ", "))
		}
	}
	out.WriteString(coexist.Diff("rules of the database", "rules to be deployed", live, next))
	return printable(out.String())
}

// printable is text with a blank for each character that has no form, but for the ends of lines.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(console.Printable(strings.ReplaceAll(line, "\t", "  ")), " ")
	}
	return strings.Join(lines, "\n")
}
