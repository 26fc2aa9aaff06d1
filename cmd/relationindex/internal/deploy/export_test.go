package deploy

import (
	"context"
	"errors"
)

// What the tests of rules and indexes call.
var (
	Shell    = shell
	Uploaded = uploaded
	Bare     = bare
	Block    = block
	HasRules = hasRules
	Lacks    = lacks
	IsLocked = isLocked
	Beside   = beside
)

// JudgeIndexes is what a deployment does about the indexes of a database, as firebase-tools prints them.
func JudgeIndexes(o Options, live string) (string, error) {
	m := &Machine{}
	err := o.indexesCheck().holds(context.Background(), m, live)
	return m.Indexes, err
}

// FixOf is how to go on after a check.
func FixOf(err error) string {
	p, _ := errors.AsType[problem](err)
	return p.fix
}
