package processes

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"example.com/relationindex/emulator/siteguard"
)

// server is an HTTP server on loopback.
type server struct {
	url      string
	listener net.Listener
	http     *http.Server // nil before serve
	served   chan error
}

// listen listens on a port; 0: a free one. Requests wait until serve.
func listen(what string, port int) (*server, error) {
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
	if err != nil {
		return nil, fmt.Errorf("port of %s: %w", what, err)
	}
	return &server{url: "http://" + listener.Addr().String(), listener: listener, served: make(chan error, 1)}, nil
}

// quiet returns a logger that discards everything.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

// serve begins to answer the requests that pass the guard. It is called once.
func (s *server) serve(guard siteguard.Guard, handler http.Handler) {
	s.http = &http.Server{Handler: guard.Handler(handler), ErrorLog: quiet(), ReadHeaderTimeout: time.Minute}
	go func() { s.served <- s.http.Serve(s.listener) }()
}

// close ends the server, and aborts requests.
func (s *server) close() error {
	if s.http == nil {
		return s.listener.Close()
	}
	err := s.http.Close()
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
