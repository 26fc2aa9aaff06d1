package config

import (
	"strings"
	"testing"
)

func TestCollectorIsAURL(t *testing.T) {
	for _, good := range []string{"", "http://localhost:4318", "https://telemetry.googleapis.com", "http://[::1]:4318/", "https://collector.example.com/otlp"} {
		if err := (Functions{Project: "p", OTLPEndpoint: good}).Validate(); err != nil {
			t.Errorf("%q is refused: %v", good, err)
		}
	}
	for _, bad := range []string{"localhost:4318", "collector", "grpc://localhost:4317", "http://", "http://user:secret@host", "http://host?x=1", "http://host#x", "http://host:port", "\x00"} {
		err := Functions{Project: "p", OTLPEndpoint: bad}.Validate()
		if err == nil || !strings.Contains(err.Error(), "RELATIONINDEX_OTLP_ENDPOINT=") || !strings.Contains(err.Error(), "must be the URL") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
