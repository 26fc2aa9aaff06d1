package deploy

import (
	"crypto/rand"
	"encoding/json"
)

// The files in $WORK.
const (
	fileConfig  = "firebase.json" // firebase-tools reads this file and the next two
	fileIndexes = "firestore.indexes.json"
	fileRules   = "firestore.rules"
	fileKey     = "tombstone-key"     // the content of a new secret
	fileBuild   = "sample-build.json" // how the image of the sampling job is built
	fileSource  = "source"            // the digest of the uploaded files, for a printed plan
)

// object is a JSON object in a file for an API.
type object = map[string]any

// addFiles adds the files that commands read, except the files of monitoring.
//
// The key of tombstones is version 1 of a secret. The key belongs to the database, not to the
// deployment: a deployment under another name uses the same key for the database. A later
// deployment makes no other version. No deployment removes the secret, because tombstones mean
// nothing without the key. If two deployments run at once, one fails at the secret, or makes a
// second version, which nothing reads.
func (p *Plan) addFiles() error {
	o := p.options
	p.Files[fileIndexes] = o.Indexes
	p.Files[fileKey] = []byte(rand.Text() + rand.Text()) // 260 bits; unused if the secret has a key
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
