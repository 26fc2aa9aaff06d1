// Package front is a proxy before an emulator. It rejects pages of other sites, which the emulators of Firestore and
// Auth both let in. Before Firestore's, it also reports the database of a request before the request goes on, so that triggers
// can be registered in time. The emulator reports no database, and has no events of earlier writes.
//
// It passes on all that clients send: gRPC, REST, and the WebChannel of browsers. It changes nothing except the place of a
// gRPC status.
package front

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"google.golang.org/grpc/codes"

	"example.com/relationindex/emulator/siteguard"
)

// Arrive gets the database of each request, before the request goes on. An error rejects the request, and its client gets the
// error's text. Arrive must be safe for concurrent use, and quick for a database that it has had before. database is the id,
// such as "(default)".
type Arrive func(ctx context.Context, project, database string) error

// Front is a running proxy.
type Front struct {
	server *http.Server
	served chan error
}

// maxStreams is the most requests of a connection at once. A listener of gRPC is one.
const maxStreams = 1000

// Serve serves at a listener, which it closes. It passes requests that the guard lets in to the emulator at a host:port. It answers
// other requests with 403, or gRPC's PERMISSION_DENIED. Requests that name no database pass without a call of arrive; no SDK of
// Firestore sends such requests. With a nil arrive, no request calls it.
func Serve(l net.Listener, emulator string, guard siteguard.Guard, arrive Arrive) *Front {
	return ServeBoth(l, emulator, emulator, guard, arrive)
}

// ServeBoth is Serve with another host:port for gRPC calls: a proxy before the emulator which speaks only gRPC.
func ServeBoth(l net.Listener, emulator, calls string, guard siteguard.Guard, arrive Arrive) *Front {
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			host := emulator
			if isGRPC(r.In) {
				host = calls
			}
			r.SetURL(&url.URL{Scheme: "http", Host: host})
			r.Out.Host, r.Out.URL.RawQuery = r.In.Host, r.In.URL.RawQuery // unchanged
			// A server that ends a stream closes what the client still sends. ReverseProxy prevents that, and
			// waits for the client. So a write that rules reject would never be answered.
			if isGRPC(r.In) {
				r.Out.Body = r.In.Body
			}
		},
		Transport:      newTransport(),
		ModifyResponse: func(r *http.Response) error { trail(r); return nil },
		FlushInterval:  -1, // WebChannel streams
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			w.Header().Set("Access-Control-Allow-Origin", "*") // like the emulator: pages can read the status
			http.Error(w, "no answer from the emulator: "+err.Error(), http.StatusBadGateway)
		},
		ErrorLog: log.New(io.Discard, "", 0), // errors of clients that disconnect
	}
	f := &Front{served: make(chan error, 1), server: &http.Server{
		Protocols:         protocols(true, true),
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: maxStreams},
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          proxy.ErrorLog,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := guard.Check(r); err != nil {
				refuse(w, r, codes.PermissionDenied, err)
				return
			}
			if project, database, ok := databaseOf(r); ok && arrive != nil {
				if err := arrive(r.Context(), project, database); err != nil {
					w.Header().Set("Access-Control-Allow-Origin", "*") // otherwise, no page could read the reason; the emulator does so too
					refuse(w, r, codes.FailedPrecondition, err)
					return
				}
			}
			proxy.ServeHTTP(w, r)
		}),
	}}
	go func() { f.served <- f.server.Serve(l) }()
	return f
}

// trail moves a status from the header to the trailers. An answer without messages has its status in the header. Behind a proxy
// the answer has a body, even if an empty one, and clients expect the status after the body.
func trail(r *http.Response) {
	for _, name := range []string{"Grpc-Status", "Grpc-Message", "Grpc-Status-Details-Bin"} {
		if values := r.Header.Values(name); len(values) > 0 {
			if r.Trailer == nil {
				r.Trailer = http.Header{}
			}
			r.Trailer[name] = values
			r.Header.Del(name)
		}
	}
}

// Close ends the proxy, and the requests under way. It is called once.
func (f *Front) Close() error {
	err := f.server.Close()
	if served := <-f.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// transport sends gRPC in HTTP/2 without TLS, and other requests in HTTP/1.1: the emulator requires both.
type transport struct{ one, two *http.Transport }

func newTransport() transport {
	return transport{
		&http.Transport{Protocols: protocols(true, false), DisableCompression: true, MaxIdleConnsPerHost: 100, IdleConnTimeout: time.Minute},
		&http.Transport{Protocols: protocols(false, true), DisableCompression: true, IdleConnTimeout: time.Minute},
	}
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if isGRPC(r) {
		return t.two.RoundTrip(r)
	}
	return t.one.RoundTrip(r)
}

func protocols(one, two bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(one)
	p.SetUnencryptedHTTP2(two)
	return p
}
