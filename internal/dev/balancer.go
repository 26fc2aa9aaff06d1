package dev

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"
)

// balancer hands each request to a worker: what stands in front of a service's
// instances in production. It answers 502 when there is no worker, or when the
// worker is gone before it has answered; the broker delivers again then.
type balancer struct {
	url    string
	server *http.Server
	served chan error

	mu      sync.Mutex
	longest map[string]time.Duration // call of each path
}

// startBalancer serves at a free port, with pick to choose the worker of a
// request; nil: there is none.
func startBalancer(pick func() *url.URL) (*balancer, error) {
	quiet := log.New(io.Discard, "", 0) // the broker logs what fails
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			if to := pick(); to != nil {
				r.SetURL(to)
			} else {
				r.Out.URL.Host = "" // which the transport refuses
			}
		},
		Transport: &http.Transport{
			MaxIdleConnsPerHost: maxInFlight,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, "no answer from a worker: "+err.Error(), http.StatusBadGateway)
		},
		ErrorLog: quiet,
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
	if err != nil {
		return nil, fmt.Errorf("port of the balancer: %w", err)
	}
	b := &balancer{
		url:     "http://" + listener.Addr().String(),
		served:  make(chan error, 1),
		longest: map[string]time.Duration{},
	}
	b.server = &http.Server{Handler: b.timed(proxy), ErrorLog: quiet, ReadHeaderTimeout: time.Minute}
	go func() { b.served <- b.server.Serve(listener) }()
	return b, nil
}

// timed is handler, with a note of how long each path takes at most.
func (b *balancer) timed(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		defer func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.longest[r.URL.Path] = max(b.longest[r.URL.Path], time.Since(began))
		}()
		handler.ServeHTTP(w, r)
	})
}

func (b *balancer) longestOf(path string) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.longest[path]
}

// close ends the balancer and the requests under way.
func (b *balancer) close() error {
	err := b.server.Close()
	if served := <-b.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}
