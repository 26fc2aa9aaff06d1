package deploy

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/internal/console"
)

// The kinds of rules that a deployment writes, as in the first line of the rules.
const (
	kindStandard = ""
	kindFeedOnly = FeedOnlyRules
	kindFile     = "file " // followed by the file's name, quoted

	kindPaced = "--pace" // after the kind, if the rules have a pace
)

// rules returns the rules to deploy. Their first line has the deployment's mark, their kind, and the
// digest of the other lines. If a person changes the rules, the digest no longer matches, and the
// rules no longer count as ours.
func (o Options) rules() []byte {
	text := o.Rules
	if strings.HasPrefix(o.rulesKind(), kindFile) {
		text = o.OwnRules
	}
	mark := "// " + o.marked() + strings.TrimSpace(o.rulesKind()+" "+digest(string(text))) + "\n"
	return append([]byte(mark), text...)
}

// rulesKind returns the kind of the rules to deploy, and their pace. The kind of a file has the file's
// name without folders. So a file with another name does not count as a later version of the first file.
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

// rulesTitle returns the title of the step that deploys rules; "" if no step does.
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

// withoutPace returns a kind of rules without its pace.
func withoutPace(kind string) string { return strings.TrimSpace(strings.TrimSuffix(kind, kindPaced)) }

// liveKind returns the kind of the live rules. ours is true if this deployment wrote the rules, in any
// release, and nobody has changed the rules since.
func (o Options) liveKind(live string) (kind string, ours bool) {
	first, rest, _ := strings.Cut(live, "\n")
	kind, begins := strings.CutPrefix(first, "// "+o.marked())
	kind, ends := strings.CutSuffix(kind, digest(rest))
	kind = strings.TrimSpace(kind)
	which := withoutPace(kind)
	return kind, begins && ends && (which == kindStandard || which == kindFeedOnly || strings.HasPrefix(which, kindFile))
}

// mayReplace returns an error if replacing the live rules by the deployment's rules may lose something.
// Nothing is lost if both are equal. Nothing is lost either if the live rules are an earlier text of a
// --rules FILE with the same name and the same --pace. If ReplaceRules is the digest of the live rules,
// a person has accepted the loss. For locked rules, see mayOpen.
//
// A deployment without --rules never replaces feed-only rules, even with the digest: the flag was
// probably forgotten. With standard rules, readers would see the ids of an author's other followers.
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

// otherKind describes live rules whose kind differs from the kind to deploy.
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

// difference describes the change of rules for a person: the removed, changed and added blocks, and a diff of the lines.
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

// printable returns text with a blank for each unprintable character, and two for a tab. It keeps line
// breaks, and removes blanks at the ends of lines.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(console.Printable(strings.ReplaceAll(line, "\t", "  ")), " ")
	}
	return strings.Join(lines, "\n")
}
