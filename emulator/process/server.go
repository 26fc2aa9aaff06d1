package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"
)

const (
	loopback     = "127.0.0.1"
	readyTimeout = 2 * time.Minute
	readyPoll    = 5 * time.Millisecond
	probeTimeout = 10 * time.Second
)

// PortTries is how often a server is started with other ports, until nobody takes one
// between our looking and the server's taking it.
const PortTries = 5

// ErrPortTaken means that a child could not listen on its port, by what it printed.
var ErrPortTaken = errors.New("address already in use")

// Server is a program that listens on ports of 127.0.0.1.
type Server struct {
	Name  string                                      // in errors: "the emulator"
	Ports []int                                       // the wanted ones; 0: any that is free
	Start func(ports []int) (*Child, error)           // again with other ports if somebody took one of these
	Ready func(ctx context.Context, host string) bool // asks once whether it answers at its first port
	Grace time.Duration                               // from asking it to end to killing it, when the caller gives up
}

// Serve starts the server and returns when it answers, and at which host:port.
// The error of one that ends first is its [Child.Failure].
func (s Server) Serve(ctx context.Context) (*Child, string, error) {
	for try := 1; ; try++ {
		child, host, err := s.serveOnce(ctx)
		if s.Ports[0] != 0 || try == PortTries || !errors.Is(err, ErrPortTaken) {
			return child, host, err
		}
	}
}

func (s Server) serveOnce(ctx context.Context) (*Child, string, error) {
	ports, err := freePorts(s.Ports)
	if err != nil {
		return nil, "", fmt.Errorf("port of %s: %w", s.Name, err)
	}
	child, err := s.Start(ports)
	if err != nil {
		return nil, "", fmt.Errorf("start %s: %w", s.Name, err)
	}
	host := net.JoinHostPort(loopback, strconv.Itoa(ports[0]))
	if err := s.answers(ctx, child, host); err != nil {
		child.Stop(s.Grace)
		return nil, "", err
	}
	return child, host, nil
}

func (s Server) answers(ctx context.Context, child *Child, host string) error {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		select {
		case <-child.Done():
			return child.Failure(s.Name)
		case <-ctx.Done():
			return fmt.Errorf("wait for %s to answer at %s, see %s: %w", s.Name, host, child.Log(), ctx.Err())
		case <-poll.C:
		}
		// Somebody else may answer at this port; then ours ends because the port is taken.
		probe, cancel := context.WithTimeout(ctx, probeTimeout)
		ready := s.Ready(probe, host)
		cancel()
		if ready && !child.Ended() {
			return nil
		}
	}
}

// Status asks once for url and returns the status of the answer; 0 without one.
func Status(ctx context.Context, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// given are the free ports that freePorts has returned: two servers that start at
// once must not get the same, of which the second would be taken for the first.
var given sync.Map

// freePorts returns different ports that nothing listens on at this moment: each
// the wanted one, or any for 0. Without this a server that has the wanted port
// would be taken for ours.
func freePorts(wanted []int) (ports []int, err error) {
	for _, port := range wanted {
		for retry := true; retry; {
			l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
			if err != nil {
				return nil, err
			}
			defer l.Close() // when all are found, or the next could be the same
			found := l.Addr().(*net.TCPAddr).Port
			if _, retry = given.LoadOrStore(found, true); !retry || port != 0 {
				ports, retry = append(ports, found), false
			}
		}
	}
	return ports, nil
}
