package commands

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
		{"sunny", 0, `"sunny": the only weather is production`},
		{"production,fast", 0, `"fast": must be scale=number`},
		{"production,scale=", 0, `scale ""`},
		{"production,scale=0", 0, `scale "0"`},
		{"production,scale=2", 0, `scale "2"`},
		{"production,scale=NaN", 0, `scale "NaN"`},
		{"production,scale=0.1,seed=2", 0, `scale "0.1,seed=2"`},
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
