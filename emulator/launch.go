package emulator

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"example.com/relationindex/emulator/install"
	"example.com/relationindex/emulator/process"
)

// loopback is the only address that the emulator and the broker listen on.
const loopback = "127.0.0.1"

const what = "the emulator"

const stopGrace = 10 * time.Second // then it is killed; it usually ends within 2 s

// launch starts an emulator that posts its events to broker (host:port). It returns when
// the emulator answers.
func launch(ctx context.Context, paths install.Paths, o Options, broker string, log *os.File) (*process.Child, *rest, error) {
	p, host, err := server(paths, o, broker, log).Serve(ctx)
	if err != nil && strings.Contains(err.Error(), "UnsupportedClassVersionError") {
		err = fmt.Errorf("this emulator needs a newer Java: %w", err)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, newRest(host), nil
}

func server(paths install.Paths, o Options, broker string, log *os.File) process.Server {
	return process.Server{
		Name:  what,
		Ports: []int{o.FirestorePort},
		Start: func(ports []int) (*process.Child, error) {
			return process.Start(append([]string{paths.Java}, javaArgs(paths, o, ports[0], broker)...), nil, log)
		},
		Ready: func(ctx context.Context, host string) bool {
			return process.Status(ctx, "http://"+host+"/") == http.StatusOK
		},
		Grace: stopGrace,
	}
}

// javaArgs returns the arguments of java. Only in English are the emulator's messages
// complete.
func javaArgs(paths install.Paths, o Options, port int, broker string) []string {
	args := append([]string{"-Duser.language=en"}, o.JavaArgs...)
	args = append(args, "-cp", paths.Jar, install.MainClass, "--host="+loopback, "--port="+strconv.Itoa(port), "--functions_emulator="+broker)
	if o.RulesFile != "" {
		args = append(args, "--rules="+o.RulesFile)
	}
	return args
}

// freshLog opens and empties the log file at path; "": a new file.
func freshLog(path string) (*os.File, error) {
	if path == "" {
		return os.CreateTemp("", "firestore-emulator-*.log")
	}
	return os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY|os.O_APPEND, 0o600)
}
