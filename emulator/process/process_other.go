//go:build !unix

package process

import (
	"os"
	"syscall"
)

// Without process groups and signals, ending is killing.

func processAttributes() *syscall.SysProcAttr { return nil }

func askToEnd(p *os.Process) { _ = p.Kill() }
func kill(p *os.Process)     { _ = p.Kill() }
