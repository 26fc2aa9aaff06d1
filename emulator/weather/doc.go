// Package weather makes the Firestore emulator answer as slowly as production, and with production's errors. A [Weather] is a
// pair of interceptors for a gRPC client that is connected to an emulator:
//
//	w, err := weather.New(weather.Production(), text) // of firestore.indexes.json
//	...
//	grpc.NewClient(host, grpc.WithChainUnaryInterceptor(w.Unary), grpc.WithChainStreamInterceptor(w.Stream))
//
// Its models are fields of [Options], each in a file of its own: latency, contention, indexes that build, bursts of errors
// (spells), the ramp of a new collection, and time-to-live. docs/weather.md has the source of each number: Google's
// documentation, somebody's measurement, or an estimate.
//
// Write rates and ramps belong to the database, not to a client: send all its calls through one Weather, by a proxy if they
// come from several processes. Put it behind interceptors that break or count calls, and behind package guard. Then it sees
// what reaches the database, and the guard has counted the index entries already.
//
// # What it is not for
//
// It never changes the answer of a call that succeeds. Package guard rejects what production always rejects. It does not
// deliver events late or twice: package chaos does. A call that it fails has not been carried out. It does not see REST and
// the WebChannel of browsers, and does not slow the stream Write of mobile SDKs.
package weather
