// Package siteguard keeps the pages of other sites away from a server on this
// machine: a browser that has one of them open can reach 127.0.0.1 too. It is no
// login: every program of this machine is let in.
package siteguard

import (
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// hosts are the names that a server on this machine is reached by. An Android
// emulator reaches it by 10.0.2.2, which no page's name can be made to mean.
var hosts = []string{"127.0.0.1", "localhost", "10.0.2.2"}

// New is the handler of a server that listens at an address, with two kinds of
// requests refused:
//
//   - For another host, with 421. Without this a page of another site, whose name
//     is made to mean 127.0.0.1 after it was loaded, would be of the server's own
//     origin (DNS rebinding).
//   - From a page of another origin, with 403, but for GET, HEAD and OPTIONS. Such
//     a page cannot choose the headers that say where it is from.
func New(at net.Addr, handler http.Handler) http.Handler {
	ours := map[string]bool{}
	port := at.(*net.TCPAddr).Port
	for _, host := range hosts {
		ours[net.JoinHostPort(host, strconv.Itoa(port))] = true
		ours[host] = port == 80 // which browsers leave out
	}
	sameOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !ours[r.Host] {
			http.Error(w, fmt.Sprintf("this is %v, and not %q", at, r.Host), http.StatusMisdirectedRequest)
			return
		}
		if err := sameOrigin.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	})
}
