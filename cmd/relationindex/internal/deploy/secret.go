package deploy

import (
	"crypto/rand"
	"fmt"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
	"example.com/relationindex/internal/config"
)

// The key of tombstones is version 1 of a secret. It is the database's, not the deployment's: a
// database whose functions are deployed under another name keeps its key. No deployment makes
// another version, and none removes the secret, without which the tombstones mean nothing.

// fileKey is the file in $WORK with the key that a new secret gets.
const fileKey = "tombstone-key"

// keyVersion is the version of the secret that functions read.
const keyVersion = config.TombstoneVersion

// secret is the name of the secret in the project's Secret Manager.
func (o Options) secret() string {
	return o.Config.TombstoneSecret()
}

// key adds the secret with the key. It comes before the functions, and so before the first deletion.
//
// A crash between the two steps leaves a secret without a key; the next deployment makes it. Of two
// deployments at once, one fails at the secret, or makes a second version, which nobody reads.
func (p *Plan) key(o Options) {
	p.Files[fileKey] = []byte(rand.Text() + rand.Text()) // 260 bits; of no use if the secret is there
	title := "secret " + o.secret()
	p.add(Step{
		Title: title, Look: new(o.secrets("value(name.basename())")), Want: o.secret(), Ours: o.secret(),
		Create: []tool.Command{tool.Gcloud("secrets", "create", o.secret(), o.project(), "--replication-policy=automatic")},
	})
	p.add(Step{
		Title: "the key of tombstones in " + o.secret(), Part: title,
		Look: new(tool.Gcloud("secrets", "versions", "list", o.secret(), o.project(), fmt.Sprintf("--filter=name~%q", "/versions/"+keyVersion+"$"), "--format=value(name.basename())")),
		Want: keyVersion, Ours: keyVersion,
		Create: []tool.Command{tool.Gcloud("secrets", "versions", "add", o.secret(), o.project(), "--data-file=$"+tool.VarWork+"/"+fileKey)},
	})
}

// secrets lists the secret of the options: one line, or none if it is gone.
func (o Options) secrets(format string) tool.Command {
	return tool.Gcloud("secrets", "list", o.project(), fmt.Sprintf("--filter=name~%q", "/secrets/"+o.secret()+"$"), "--format="+format)
}
