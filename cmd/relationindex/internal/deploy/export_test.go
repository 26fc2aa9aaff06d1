package deploy

import "errors"

// MayReplace is what a deployment has against replacing live rules.
func MayReplace(o Options, live string) error { return o.mayReplace(live) }

// Digest is what names live rules.
func Digest(o Options, live string) string { return o.liveDigest(live) }

// StepText is the commands of a step as they are printed.
func StepText(s Step, removal bool) string { return s.text(removal) }

// FixOf is how to go on after what MayReplace says.
func FixOf(err error) string {
	p, _ := errors.AsType[problem](err)
	return p.fix
}
