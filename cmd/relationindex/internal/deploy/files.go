package deploy

import (
	"crypto/rand"
	"encoding/json"
)

// The files in $WORK.
const (
	fileConfig  = "firebase.json" // of firebase-tools, as the next two
	fileIndexes = "firestore.indexes.json"
	fileRules   = "firestore.rules"
	fileKey     = "tombstone-key"     // what a new secret gets
	fileBuild   = "sample-build.json" // how the image of the sampling job is built
	fileSource  = "source"            // the digest of what is uploaded, for a printed plan
)

// object is a part of a file for an API.
type object = map[string]any

// addFiles adds the files that commands read, but for those of monitoring.
//
// The key of tombstones is version 1 of a secret. It is the database's, not the deployment's: a
// database whose functions are deployed under another name keeps its key. No deployment makes
// another version, and none removes the secret, without which the tombstones mean nothing. Of two
// deployments at once, one fails at the secret, or makes a second version, which nobody reads.
func (p *Plan) addFiles() error {
	o := p.options
	p.Files[fileIndexes] = o.Indexes
	p.Files[fileKey] = []byte(rand.Text() + rand.Text()) // 260 bits; of no use if the secret is there
	if o.RulesFile != KeepRules {
		p.Files[fileRules] = o.rules()
	}
	if o.Sample > 0 {
		if err := p.addJSON(fileBuild, buildOf(o.image())); err != nil {
			return err
		}
	}
	firestore := object{"database": o.Config.DatabaseID(), "indexes": fileIndexes, "rules": fileRules}
	return p.addJSON(fileConfig, object{"firestore": firestore})
}

// addJSON adds a file for an API.
func (p *Plan) addJSON(name string, content any) error {
	text, err := json.MarshalIndent(content, "", "  ")
	p.Files[name] = append(text, '\n')
	return err
}
