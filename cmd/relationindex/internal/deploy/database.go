package deploy

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"example.com/relationindex/internal/config"
)

// The files in $WORK: those of firebase-tools, and the key that a new secret gets.
const (
	fileConfig  = "firebase.json"
	fileIndexes = "firestore.indexes.json"
	fileRules   = "firestore.rules"
	fileKey     = "tombstone-key"
)

// database adds the indexes, with the time-to-live policy among them, and the rules.
//
// They come first: an index is built in the background, and what is deployed
// before it queries in vain. firebase-tools creates what is missing and, without
// --force, deletes nothing; the second time it finds everything there.
func (p *Plan) database() error {
	o := p.options
	file, err := json.Marshal(object{"firestore": map[string]string{"database": o.Config.DatabaseID(), "indexes": fileIndexes, "rules": fileRules}})
	if err != nil {
		return err
	}
	p.Files[fileConfig], p.Files[fileIndexes] = file, o.Indexes
	deploy := func(title, what string) {
		p.add(Step{Title: title, Create: []Command{firebase("deploy", "--only=firestore:"+what, "--config=$"+varWork+"/"+fileConfig, o.project())}})
	}
	deploy("indexes, and time-to-live of finished jobs", "indexes")
	if o.RulesFile == KeepRules {
		return nil
	}
	p.Files[fileRules] = o.rules()
	title := "rules"
	if o.Pace {
		title += ", with a pace: clients that write no rates are rejected"
	}
	deploy(title, "rules")
	return nil
}

// The key of tombstones is version 1 of a secret. It is the database's, not the deployment's: a
// database whose functions are deployed under another name keeps its key. No deployment makes
// another version, and none removes the secret, without which the tombstones mean nothing.

func (o Options) secret() string    { return o.Config.TombstoneSecret() }
func (p *Plan) secretTitle() string { return "secret " + p.options.secret() }

// listSecret prints the name of the secret; nothing if it is gone.
func (o Options) listSecret() Command {
	return gcloud("secrets", "list", o.project(), fmt.Sprintf("--filter=name~%q", "/secrets/"+o.secret()+"$"), "--format=value(name.basename())")
}

// readsKey returns the flag by which a function or a job gets the key.
func (o Options) readsKey() string {
	return "--set-secrets=" + config.VariableTombstones + "=" + o.secret() + ":" + config.TombstoneVersion
}

// key adds the secret with the key. It comes before the functions, and so before the first deletion.
//
// A crash between the two steps leaves a secret without a key; the next deployment makes it. Of two
// deployments at once, one fails at the secret, or makes a second version, which nobody reads.
func (p *Plan) key() {
	o, version := p.options, config.TombstoneVersion
	p.Files[fileKey] = []byte(rand.Text() + rand.Text()) // 260 bits; of no use if the secret is there
	p.add(Step{
		Title: p.secretTitle(), Look: o.listSecret(), Want: o.secret(), Ours: o.secret(), Once: true,
		Create: []Command{gcloud("secrets", "create", o.secret(), o.project(), "--replication-policy=automatic")},
	})
	p.add(Step{
		Title: "the key of tombstones in " + o.secret(), Of: []string{p.secretTitle()}, Want: version, Ours: version, Once: true,
		Look:   gcloud("secrets", "versions", "list", o.secret(), o.project(), fmt.Sprintf("--filter=name~%q", "/versions/"+version+"$"), "--format=value(name.basename())"),
		Create: []Command{gcloud("secrets", "versions", "add", o.secret(), o.project(), "--data-file=$"+varWork+"/"+fileKey)},
	})
}
