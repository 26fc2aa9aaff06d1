package process

import "syscall"

// dieWithParent kills the child when the thread that starts the child ends. The
// threads of a killed parent end too.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
