// Package instances does for functions on this machine what Cloud Run does in front of a
// service: an instance takes so many requests at once, there are so many instances, a new
// one starts cold, an idle one goes, and a request that finds no room waits, then gets 429.
//
// An instance here is no process. It is room for requests in the handler behind, which may
// serve several instances, of several services, in one process.
//
//	s := instances.NewService(instances.Production(), 80, 10)
//	http.ListenAndServe("127.0.0.1:8080", s.Handler(function))
//
// It is not an autoscaler by CPU: a new instance starts when a request finds no room.
package instances
