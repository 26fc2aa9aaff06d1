package main

import (
	"encoding/base64"
	"strings"
	"testing"
)

func TestWrongArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"-project", "p", "more"}, {"-project", "p", "-probe", "nothing"}} {
		if err := check(t.Context(), args, new(strings.Builder)); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
	for _, token := range []string{"x", "a.b.c", "a." + base64.RawURLEncoding.EncodeToString([]byte(`{}`)) + ".c"} {
		if _, err := subject(token); err == nil {
			t.Errorf("the token %q is taken", token)
		}
	}
}
