// Package weather makes the Firestore emulator answer as slowly, and with such errors, as production does. A [Weather] is a
// pair of interceptors for a client of gRPC that is connected to an emulator:
//
//	w, err := weather.New(weather.Production(), text) // of firestore.indexes.json
//	...
//	grpc.NewClient(host, grpc.WithChainUnaryInterceptor(w.Unary), grpc.WithChainStreamInterceptor(w.Stream))
//
// Its models are fields of [Options], each in a file of its own: latency, contention, indexes that build, spells of errors,
// the ramp of a new collection, and time-to-live. docs/weather.md says from which document each number is.
//
// Write rates and ramps are of the database, not of a client: let all its calls pass one Weather, by a proxy if they come
// from several processes. Put it behind what breaks or counts calls, and behind package guard: then it sees what reaches
// the database, and the guard has counted the index entries already.
//
// # What it is not for
//
// It changes no answer: package guard refuses what production would. It does not deliver events late or twice: package
// chaos does. A call that it fails has not been carried out. It does not see REST, the WebChannel of browsers, and the
// stream Write of phones.
package weather
