// Package metrics adds up what the runs of the functions did and sends the sums
// to an OpenTelemetry collector, by OTLP over HTTP in its JSON encoding. It is for those who
// have one: alerts and dashboards in monitoring/ need the log alone.
//
// Cloud Run gives an instance a CPU while it has a request to answer, so nothing
// here runs on a timer. The run that ends when the last export is some seconds
// old starts the next one, and waits for it no longer than [Patience]. A
// collector that is slow, wrong or gone costs one run in ten seconds that much,
// later one in five minutes, and nothing else.
//
// Sums are cumulative, each process with an id and a start of its own: what an
// export could not tell, the next one does. What an instance did after its last
// export is lost when it ends, unless [Exporter.Flush] comes before.
//
//	m := metrics.New("http://localhost:4318", metrics.Options{})
//	m.Run(ctx, metrics.Run{Function: "OnPostWritten", Outcome: "done", Writes: 12, Lag: &lag})
package metrics
