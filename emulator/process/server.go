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

// PortTries is the most starts of a server. Another program may take a port between freePorts and
// the server's start; then the server starts again with other ports.
const PortTries = 5

// ErrPortTaken means that a child could not listen on its port, according to its output.
var ErrPortTaken = errors.New("address already in use")

// Server is a program that listens on ports of 127.0.0.1.
type Server struct {
	Name  string                                      // in errors: "the emulator"
	Ports []int                                       // the required ports; 0: any free one
	Start func(ports []int) (*Child, error)           // called again with other ports if another program took one of these
	Ready func(ctx context.Context, host string) bool // probes once whether the server answers at its first port
	Grace time.Duration                               // from the request to end until the kill, when the caller gives up
}

// Serve starts the server. When the server answers, Serve returns its process and its host:port.
// If the server ends first, the error is its [Child.Failure].
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
		// Another server may answer at this port. Then ours ends because the port is taken.
		probe, cancel := context.WithTimeout(ctx, probeTimeout)
		ready := s.Ready(probe, host)
		cancel()
		if ready && !child.Ended() {
			return nil
		}
	}
}

// Status sends one GET to url, and returns the status of the answer; 0 without an answer.
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

// given has the free ports that freePorts has returned. Two servers that start at once must not
// get the same port, because the answers of the first would count as those of the second.
var given sync.Map

// freePorts returns different ports without a listener at this moment: each of the
// wanted ones, or a free one for 0. Without this check, another server at the wanted port
// could pass for ours.
func freePorts(wanted []int) (ports []int, err error) {
	for _, port := range wanted {
		for retry := true; retry; {
			l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
			if err != nil {
				return nil, err
			}
			defer l.Close() // closed when all are found; otherwise the next could be the same
			found := l.Addr().(*net.TCPAddr).Port
			if _, retry = given.LoadOrStore(found, true); !retry || port != 0 {
				ports, retry = append(ports, found), false
			}
		}
	}
	return ports, nil
}
