package dev

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/pflag"
)

// port is a flag for a port. Its default is the port that Firebase's tools use.
type port struct {
	flag   string
	what   string
	help   string // longer description of what
	usual  int
	chosen *int
}

// choose chooses the port. Without the flag, this is the usual port. If the usual port is in use, choose chooses any
// free port, and returns a note about it. If the flag's port is in use, choose returns an error.
func (p port) choose(flags *pflag.FlagSet) (instead string, err error) {
	if !flags.Changed(p.flag) {
		if taken(p.usual) {
			*p.chosen = 0
			return fmt.Sprintf("Port %d is in use, so %s has another; --%s chooses one.", p.usual, p.what, p.flag), nil
		}
		return "", nil
	}
	if *p.chosen > 0 && taken(*p.chosen) {
		return "", fmt.Errorf("--%s %d: address already in use: end the program that listens at this port, or choose another; 0 takes a free one", p.flag, *p.chosen)
	}
	return "", nil
}

// taken reports whether a port is in use at an address of localhost.
func taken(port int) bool {
	for _, host := range []string{"127.0.0.1", "::1"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			_ = l.Close()
		}
		if errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, syscall.EACCES) {
			return true
		}
	}
	return false // other errors are ignored: a machine without IPv6 has no ::1
}
