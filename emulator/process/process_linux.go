package process

import "syscall"

// dieWithParent kills the child when the thread that starts it ends, which a
// killed parent's does too.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
