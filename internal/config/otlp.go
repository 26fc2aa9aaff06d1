package config

import "net/url"

// isCollector says whether endpoint is the URL of an OpenTelemetry collector.
func isCollector(endpoint string) bool {
	u, err := url.Parse(endpoint)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}
