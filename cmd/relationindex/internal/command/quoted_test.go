package command

import "testing"

func TestQuoted(t *testing.T) {
	for value, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "text,likes": "text,likes", "my users": "'my users'", "it's": `'it'\''s'`, "": "''",
		"\x1b[2J\n\u202e it's \\": `$'\x1b[2J\n\u202e it\'s \\'`,
	} {
		if got := Quoted(value); got != want {
			t.Errorf("Quoted(%q) = %s, want %s", value, got, want)
		}
	}
}
