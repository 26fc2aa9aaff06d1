//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing, because only Linux can signal a child when its parent is
// killed.
func dieWithParent(*syscall.SysProcAttr) {}
