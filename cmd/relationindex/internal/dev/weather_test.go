package dev

import (
	"strings"
	"testing"
)

func TestParseWeather(t *testing.T) {
	for _, c := range []struct {
		text  string
		scale float64
		err   string
	}{
		{"production", 1, ""},
		{"production,scale=0.1", 0.1, ""},
		{"production,scale=1", 1, ""},
		{"sunny", 0, `"sunny": expected production or production,scale=0.1`},
		{"production,fast", 0, `"production,fast": expected production or production,scale=0.1`},
		{"production,scale=", 0, `"production,scale=": expected production`},
		{"production,scale=0", 0, `"production,scale=0": expected production`},
		{"production,scale=0.0009", 0, `"production,scale=0.0009": expected production`},
		{"", 0, `"": expected production`},
		{"production,scale=2", 0, `"production,scale=2": expected production`},
		{"production,scale=NaN", 0, `"production,scale=NaN": expected production`},
		{"production,scale=0.1,seed=2", 0, `"production,scale=0.1,seed=2": expected production`},
	} {
		scale, err := parseWeather(c.text)
		switch {
		case c.err == "" && (err != nil || scale != c.scale):
			t.Errorf("%s: %v, %v; want %v", c.text, scale, err, c.scale)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want an error with %s", c.text, err, c.err)
		}
	}
}
