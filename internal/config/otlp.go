package config

import (
	"fmt"
	"net/url"
)

// checkCollector reports a RELATIONINDEX_OTLP_ENDPOINT that names no OpenTelemetry
// collector; "" is none, and good.
func checkCollector(endpoint string) error {
	if endpoint == "" {
		return nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
		u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("RELATIONINDEX_OTLP_ENDPOINT=%q: must be the URL of a collector without /v1/metrics, as http://localhost:4318", endpoint)
	}
	return nil
}
