package deploy

import (
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
)

// The files of firebase-tools in $WORK.
const (
	fileConfig  = "firebase.json"
	fileIndexes = "firestore.indexes.json"
	fileRules   = "firestore.rules"
)

// database adds the indexes, with the time-to-live policy among them, and the rules.
//
// They come first: an index is built in the background, and what is deployed
// before it queries in vain. firebase-tools creates what is missing and, without
// --force, deletes nothing; the second time it finds everything there.
func (p *Plan) database(o Options) error {
	config, err := json.Marshal(map[string]any{"firestore": map[string]string{"database": o.Config.DatabaseID(), "indexes": fileIndexes, "rules": fileRules}})
	if err != nil {
		return err
	}
	p.Files[fileConfig], p.Files[fileIndexes] = config, o.Indexes
	deploy := func(what string) []tool.Command {
		return []tool.Command{tool.Firebase("deploy", "--only=firestore:"+what, "--config=$"+tool.VarWork+"/"+fileConfig, o.project())}
	}
	p.add(Step{Title: "indexes, and time-to-live of finished jobs", Create: deploy("indexes")})
	if o.RulesFile == KeepRules {
		return nil
	}
	p.Files[fileRules] = o.rules()
	title := "rules"
	if o.Pace {
		title += ", with a pace: clients that write no rates are rejected"
	}
	p.add(Step{Title: title, Create: deploy("rules")})
	return nil
}

// The kinds of rules that a deployment writes, as their first line has them.
const (
	kindStandard = ""
	kindFeedOnly = FeedOnlyRules
	kindFile     = "file " // and the file's name, quoted

	kindPaced = "--pace" // behind each of these
)

// rules is what is deployed, behind a line that marks it.
func (o Options) rules() []byte {
	text := o.Rules
	if strings.HasPrefix(o.rulesKind(), kindFile) {
		text = o.OwnRules
	}
	return append([]byte(o.rulesMark(o.rulesKind(), string(text))), text...)
}

// rulesKind is which rules are deployed, and whether they have a pace.
func (o Options) rulesKind() string {
	if o.Pace {
		return strings.TrimSpace(o.unpacedKind() + " " + kindPaced)
	}
	return o.unpacedKind()
}

// withoutPace is a kind of rules, whether they have a pace or not.
func withoutPace(kind string) string { return strings.TrimSpace(strings.TrimSuffix(kind, kindPaced)) }

// unpacedKind is which rules are deployed. Of a file it has the name without folders: a
// file of another name does not follow it.
func (o Options) unpacedKind() string {
	switch o.RulesFile {
	case "", StandardRules:
		return kindStandard
	case FeedOnlyRules:
		return kindFeedOnly
	default:
		return kindFile + strconv.Quote(filepath.Base(o.RulesFile))
	}
}

// rulesMark is the first line of rules that a deployment writes: their kind, and the
// digest of what follows. Rules that a person has changed since are that person's.
func (o Options) rulesMark(kind, text string) string {
	return "// " + o.marked() + strings.TrimSpace(kind+" "+digest(text)) + "\n"
}
