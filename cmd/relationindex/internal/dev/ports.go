package dev

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/pflag"
)

// port is a flag for a port, with the one that Firebase's tools use.
type port struct {
	flag   string
	what   string
	help   string // more of what
	usual  int
	chosen *int
}

// choose takes the usual port where the flag does not say another, or any that is free if somebody has the usual one, and
// returns what to say of that. It fails if somebody has the port of the flag.
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

// taken says whether somebody listens at a port of one of the addresses that localhost means.
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
	return false // a machine without IPv6 has no ::1
}
