package processes

import (
	"context"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/siteguard"
)

// balancer forwards each request to a worker, like the load balancer in front of a service's instances in
// production. It answers 502 if there is no worker, or if the worker ends before its answer. It answers 429
// for [Options.Instances]. The broker delivers again after both.
type balancer struct {
	*server

	mu      sync.Mutex
	longest map[string]time.Duration // call of each path
}

// startBalancer serves the requests that pass the guard at a free port, behind the services, which may be nil.
// pick returns the worker of an instance; instance -1 is a request without one. pick returns nil if no worker
// answers.
func startBalancer(guard siteguard.Guard, s *services, pick func(instance int) *url.URL) (*balancer, error) {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			instance, ok := instances.Number(r.In.Context())
			if !ok {
				instance = -1
			}
			to := pick(instance)
			for ok && to == nil && wait(r.In.Context()) { // Cloud Run holds a request while an instance starts
				to = pick(instance)
			}
			if to != nil {
				r.SetURL(to)
			} else {
				r.Out.URL.Host = "" // the transport rejects an empty host
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
		ErrorLog: quiet(), // the broker logs what fails
	}
	server, err := listen("the balancer", 0)
	if err != nil {
		return nil, err
	}
	b := &balancer{server: server, longest: map[string]time.Duration{}}
	b.serve(guard, s.handler(b.timed(proxy)))
	return b, nil
}

// wait waits for 10 ms, and reports whether the request is still open.
func wait(ctx context.Context) bool {
	select {
	case <-time.After(10 * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

// timed returns handler, and records the longest call of each path.
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
