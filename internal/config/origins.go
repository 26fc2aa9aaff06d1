package config

import (
	"fmt"
	"net/url"
	"strings"
)

// anyOrigin stands for every web origin.
const anyOrigin = "*"

// checkOrigins reports each origin that a browser would never send, and so
// never be allowed by.
func checkOrigins(origins []string) []error {
	var errs []error
	for _, o := range origins {
		switch {
		case o == anyOrigin && len(origins) > 1:
			errs = append(errs, fmt.Errorf("RELATIONINDEX_CORS_ORIGINS=%q: %s allows every origin, so it must stand alone", strings.Join(origins, ","), anyOrigin))
		case o != anyOrigin && !isOrigin(o):
			errs = append(errs, fmt.Errorf("RELATIONINDEX_CORS_ORIGINS=%q: must be origins as browsers send them: http:// or https://, host, port if it is not the scheme's own; no path, no slash at the end, no capital letters, no patterns", o))
		}
	}
	return errs
}

func isOrigin(o string) bool {
	u, err := url.Parse(o)
	if err != nil || u.Host == "" || o != u.Scheme+"://"+u.Host || o != strings.ToLower(o) || strings.ContainsAny(o, "*, ") {
		return false
	}
	own, known := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return known && u.Hostname() != "" && u.Port() != own && !strings.HasSuffix(u.Host, ":")
}
