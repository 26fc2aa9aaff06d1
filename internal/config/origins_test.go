package config

import (
	"strings"
	"testing"
)

func TestOrigins(t *testing.T) {
	for _, good := range [][]string{
		nil,
		{"*"},
		{"https://app.example.com"},
		{"https://app.example.com", "http://localhost:5173", "http://[::1]:5173"},
	} {
		if err := (Functions{Project: "p", Origins: good}).Validate(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range [][]string{
		{""},
		{"app.example.com"},
		{"https://app.example.com/"},
		{"https://app.example.com/path"},
		{"https://App.example.com"},
		{"https://*.example.com"},
		{"https://app.example.com:443"},
		{"http://app.example.com:"},
		{"https://"},
		{"https://:8080"},
		{"https://user@app.example.com"},
		{"https://app.example.com?x"},
		{"ftp://app.example.com"},
		{"null"},
		{"*", "https://app.example.com"},
	} {
		err := Functions{Project: "p", Origins: bad}.Validate()
		if err == nil {
			t.Errorf("%q is accepted", bad)
			continue
		}
		for _, want := range []string{"RELATIONINDEX_CORS_ORIGINS", bad[0], "must"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q: error %q does not say %q", bad, err, want)
			}
		}
	}
}

func TestOriginsAreValidated(t *testing.T) {
	err := Functions{Project: "p", Origins: []string{"https://a.example/"}}.Validate()
	if err == nil || !strings.Contains(err.Error(), `RELATIONINDEX_CORS_ORIGINS="https://a.example/"`) {
		t.Errorf("got %v", err)
	}
}
