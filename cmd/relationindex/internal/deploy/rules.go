package deploy

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/coexist"
	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/internal/config"
	"example.com/relationindex/internal/console"
)

var blank = regexp.MustCompile(`\s+`)

// locked are the rules of a database that was made in production mode, without
// comments and blanks: no client may do anything.
var locked = blank.ReplaceAllString(`rules_version='2'; service cloud.firestore { match /databases/{database}/documents { match /{document=**} { allow read, write: if false; } } }`, "")

// isLocked reports whether rules let no client in.
func isLocked(live string) bool {
	bare := blank.ReplaceAllString(config.BareRules(live), "")
	return bare == locked || "rules_version='2';"+bare == locked
}

// mayOpen is an error if the database, which is locked or has no rules, has users or posts: only servers
// use it, and by our rules every account could list them. A person who gives the digest
// of the rules knows that. It costs a read for each thousand users and posts.
func (o Options) mayOpen(ctx context.Context, m *Machine, token, live string) error {
	sum := o.liveDigest(live)
	if o.ReplaceRules == sum {
		return nil
	}
	c := o.Config.Collections()
	var has []string
	all := int64(0)
	for _, collection := range []string{c.Users, c.Posts} {
		n, err := tool.Count(ctx, m.FirestoreAPI, o.Project, o.Config.DatabaseID(), collection, token)
		if err != nil {
			return err
		}
		text := console.Counted(n, "document") + " in " + collection
		if n >= tool.MaxCounted {
			text = "at least " + text
		}
		has = append(has, text)
		all += n
	}
	if all == 0 {
		return nil
	}
	why, then := "its rules are locked", "By our rules, every signed-in account lists profiles and posts, and writes its own"
	if live == "" {
		why = "it has no rules"
	}
	fix := "if that is meant, say --replace-rules=" + sum + "; if not, --rules keep, and no client gets in"
	if o.OwnRules == nil {
		fix += "; or --rules FILE, with rules of yours that let in whom you want"
	} else {
		then = "By the rules of " + o.RulesFile + ", clients may get in"
	}
	return problem{
		fmt.Errorf("no client may read or write this database now, for %s: only servers use it. The database %s of the project %s has %s. %s: %s",
			why, o.Config.DatabaseID(), o.Project, strings.Join(has, ", and "), then, o.rulesPage()),
		fix,
	}
}

// liveDigest names the rules of the database, which --replace-rules replaces: in another database, or another
// project, the same text has another name.
func (o Options) liveDigest(live string) string {
	return digest(o.Project, o.Config.DatabaseID(), live)[:12]
}

// rulesPage is where the console shows the rules of the database.
func (o Options) rulesPage() string {
	return "https://console.firebase.google.com/project/" + o.Project + "/firestore/databases/" + cmp.Or(o.Config.Database, "-default-") + "/rules"
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

// otherKind is what is other about a kind of rules.
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

// difference is what becomes of rules, for a person: the blocks that go and come, and the
// lines of them.
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

// liveKind is the kind of rules that this deployment wrote, of any release, and
// nobody has changed since; false for others.
func (o Options) liveKind(live string) (kind string, ours bool) {
	first, rest, _ := strings.Cut(live, "\n")
	kind, begins := strings.CutPrefix(first, "// "+o.marked())
	kind, ends := strings.CutSuffix(kind, digest(rest))
	kind = strings.TrimSpace(kind)
	which := withoutPace(kind)
	return kind, begins && ends && (which == kindStandard || which == kindFeedOnly || strings.HasPrefix(which, kindFile))
}
