// Package metrics counts what the runs of the functions did, with the SDK of
// OpenTelemetry, and sends the sums to a collector, by OTLP over HTTP. It is for those who
// have one: alerts and dashboards in monitoring/ need the log alone.
//
// Cloud Run gives an instance a CPU while it has a request to answer, so nothing
// here runs on a timer, as the SDK's own periodic reader does. The run that ends
// when the last export is some seconds old starts the next one, and waits for it no
// longer than [Patience]. A collector that is slow, wrong or gone costs one run
// in ten seconds that much, later one in five minutes, and nothing else.
//
// Sums are cumulative, each process with an id and a start of its own: what an
// export could not tell, the next one does. What an instance did after its last
// export is lost when it ends, unless [Exporter.Flush] comes before.
//
// Where a collector is set, the SDK reads variables of its own. Those that hold
// are OTEL_EXPORTER_OTLP_HEADERS (the key that a collector may ask for),
// …_COMPRESSION, …_CERTIFICATE, …_CLIENT_CERTIFICATE and …_CLIENT_KEY,
// …_TIMEOUT if it is below five seconds, each also as OTEL_EXPORTER_OTLP_METRICS_…,
// and OTEL_RESOURCE_ATTRIBUTES for what is not set here. For Google's collector
// certificates and timeout do not. Those for the endpoint, the name of the service,
// temporality and histograms change nothing. What the SDK has to say goes to our log.
//
//	m := metrics.New("http://localhost:4318", metrics.Options{})
//	m.Run(ctx, metrics.Run{Function: "OnPostWritten", Outcome: "done", Writes: 12, Lag: &lag})
package metrics
