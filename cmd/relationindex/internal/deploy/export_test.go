package deploy

import (
	"errors"

	"example.com/relationindex/cmd/relationindex/internal/deploy/tool"
)

// MayReplace is what a deployment has against replacing live rules.
func MayReplace(o Options, live string) error { return o.mayReplace(live) }

// Digest is what names live rules.
func Digest(o Options, live string) string { return o.liveDigest(live) }

// Expand is a word of a command where no variable has a value.
func Expand(word string) string { return tool.Command{Args: []string{word}}.Expand(nil)[0] }

// FixOf is how to go on after what MayReplace says.
func FixOf(err error) string {
	p, _ := errors.AsType[problem](err)
	return p.fix
}
