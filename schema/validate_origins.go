package schema

import (
	"net/url"
	"strings"
)

// anyOrigin stands for every web origin.
const anyOrigin = "*"

// isOrigin reports whether a browser can send o as an origin. Another value
// would never match.
func isOrigin(o string) bool {
	u, err := url.Parse(o)
	if err != nil || u.Host == "" || o != u.Scheme+"://"+u.Host || o != strings.ToLower(o) || strings.ContainsAny(o, "*, ") {
		return false
	}
	own, known := map[string]string{"http": "80", "https": "443"}[u.Scheme]
	return known && u.Hostname() != "" && u.Port() != own && !strings.HasSuffix(u.Host, ":")
}
