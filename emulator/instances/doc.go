// Package instances does for functions on this machine what Cloud Run does in front of a
// service. It limits the requests at one instance and the number of instances. A new
// instance starts cold, and an idle one is removed. A request that finds no room waits, then
// gets 429.
//
// An instance here is not a process. It is room for requests in the handler behind it, which
// may serve several instances, of several services, in one process.
//
//	s := instances.NewService(instances.Production(), 80, 10)
//	http.ListenAndServe("127.0.0.1:8080", s.Handler(function))
//
// It does not scale by CPU: a new instance starts when a request finds no room.
package instances
