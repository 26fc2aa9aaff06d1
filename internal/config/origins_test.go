package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestOrigins(t *testing.T) {
	for list, good := range map[string]bool{
		"": true, "*": true, "https://app.example.com": true, "https://app.example.com,http://localhost:5173,http://[::1]:5173": true,
		"app.example.com": false, "https://app.example.com/": false, "https://app.example.com/path": false, "https://App.example.com": false,
		"https://*.example.com": false, "https://app.example.com:443": false, "http://app.example.com:": false, "https://": false,
		"https://:8080": false, "https://user@app.example.com": false, "https://app.example.com?x": false, "ftp://app.example.com": false,
		"null": false, ",https://app.example.com": false, "*,https://app.example.com": false,
	} {
		_, err := Environment{"GOOGLE_CLOUD_PROJECT": "p", "RELATIONINDEX_CORS_ORIGINS": list}.LoadAnyProject()
		if good != (err == nil) || err != nil && !strings.Contains(err.Error(), fmt.Sprintf("RELATIONINDEX_CORS_ORIGINS=%q: ", list)) {
			t.Errorf("%q: %v", list, err)
		}
	}
}
