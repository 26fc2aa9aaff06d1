//go:build unix

package process

import (
	"os"
	"syscall"
)

// processAttributes puts the child in a process group of its own.
func processAttributes() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(attr)
	return attr
}

// askToEnd and kill ignore errors, which mean that the group has ended already.
func askToEnd(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }
func kill(p *os.Process)     { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
