package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// count is the numbers from first to last, a line each.
func count(first, last int) string {
	var b strings.Builder
	for i := first; i <= last; i++ {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestTail(t *testing.T) {
	tests := map[string]struct {
		text string
		from int64
		want string
	}{
		"nothing":                      {"", 0, ""},
		"a short log":                  {"one\ntwo\n\n", 0, "one\ntwo"},
		"the last lines of a long one": {count(1, 10_000), 0, count(9_986, 10_000)},
		"no stack traces":              {count(1, 13) + "one\n\tat java.lang.Thread.run\ntwo\n", 0, count(1, 13) + "one\ntwo"},
		"what began later":             {"one\ntwo\nthree\n", 4, "two\nthree"},
		"nothing since":                {"one\n", 4, ""},
		"emptied meanwhile":            {"", 4, ""},
		"the end of a line of 10 KiB":  {strings.Repeat("x", 10<<10), 0, strings.Repeat("x", tailBytes)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(log, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, want := Tail(log, tt.from), strings.TrimSpace(tt.want); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
	t.Run("why it cannot be read", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "missing")
		if got := Tail(log, 0); !strings.Contains(got, log) {
			t.Errorf("got %q, want it to name %s", got, log)
		}
	})
}
