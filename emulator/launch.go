package emulator

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/internal/process"
)

// loopback is the only interface that the emulator and the broker listen on.
const loopback = "127.0.0.1"

const (
	portTries    = 5 // to find a port that nobody takes between our looking and the emulator's taking it
	startTimeout = 2 * time.Minute
	readyPoll    = 50 * time.Millisecond
	stopGrace    = 10 * time.Second // it takes about 2 s to end when asked; after this it is killed
)

// errPortTaken means that the emulator could not listen on its port.
var errPortTaken = errors.New("address already in use")

// launch starts an emulator that posts its events to broker (host:port) and returns when it answers, and where.
func launch(ctx context.Context, i installation, o Options, broker string, log *os.File) (*process.Child, *rest, error) {
	for try := 1; ; try++ {
		port, err := freePort(o.FirestorePort)
		if err != nil {
			return nil, nil, err
		}
		p, r, err := launchOnce(ctx, i, o, net.JoinHostPort(loopback, strconv.Itoa(port)), broker, log)
		if o.FirestorePort == 0 && try < portTries && errors.Is(err, errPortTaken) {
			continue
		}
		return p, r, err
	}
}

func launchOnce(ctx context.Context, i installation, o Options, address, broker string, log *os.File) (*process.Child, *rest, error) {
	p, err := process.Start(append([]string{i.java}, javaArgs(i, o, address, broker)...), nil, log)
	if err != nil {
		return nil, nil, fmt.Errorf("start %s: %w", i.java, err)
	}
	r := newRest(address)
	if err := answers(ctx, p, r); err != nil {
		p.Stop(stopGrace)
		return nil, nil, err
	}
	return p, r, nil
}

// javaArgs is the command line after "java". The emulator's messages are only complete in English.
func javaArgs(i installation, o Options, address, broker string) []string {
	host, port, _ := net.SplitHostPort(address)
	args := append([]string{"-Duser.language=en"}, o.JavaArgs...)
	args = append(args, "-cp", i.jar, mainClass, "--host="+host, "--port="+port, "--functions_emulator="+broker)
	if o.RulesFile != "" {
		args = append(args, "--rules="+o.RulesFile)
	}
	return args
}

// answers waits until the emulator answers. The error of one that ended first shows its last words.
func answers(ctx context.Context, p *process.Child, r *rest) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	poll := time.NewTicker(readyPoll)
	defer poll.Stop()
	for {
		select {
		case <-p.Done():
			return failure(p)
		case <-ctx.Done():
			return fmt.Errorf("wait for the emulator to answer at %s, see %s: %w", r.base, p.Log(), ctx.Err())
		case <-poll.C:
		}
		// Somebody else may answer at this port; then ours ends because the port is taken.
		probe, cancel := context.WithTimeout(ctx, time.Second)
		err := r.ready(probe)
		cancel()
		if err == nil && !p.Ended() {
			return nil
		}
	}
}

// failure is the error for an emulator that ended by itself. It shows its last words.
func failure(p *process.Child) error {
	full := p.Failure("the emulator")
	switch words := full.Error(); {
	case strings.Contains(words, "Address already in use"):
		return fmt.Errorf("%w: %w", errPortTaken, full)
	case strings.Contains(words, "UnsupportedClassVersionError"):
		return fmt.Errorf("this emulator needs a newer Java: %w", full)
	}
	return full
}

// freshLog opens the log file that path names, emptied, or a new one for "".
func freshLog(path string) (*os.File, error) {
	if path == "" {
		return os.CreateTemp("", "firestore-emulator-*.log")
	}
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
}

// brokerURL is where to reach a broker that listens at the address; one that listens everywhere, at loopback.
func brokerURL(address net.Addr) string {
	host, port, _ := net.SplitHostPort(address.String())
	if net.ParseIP(host).IsUnspecified() {
		host = loopback
	}
	return "http://" + net.JoinHostPort(host, port)
}

// freePort returns a port that nothing listens on at this moment: the wanted one, or any for 0. Without this an emulator
// that has the wanted port would be taken for ours.
func freePort(wanted int) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(wanted)))
	if err != nil {
		return 0, fmt.Errorf("port of the emulator: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
