package command

import (
	"strconv"
	"strings"

	"example.com/relationindex/internal/console"
)

// plain are the characters that mean nothing to a shell.
const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.,:/@-"

// Quoted returns a value as one word of a shell. A value with unprintable characters gets
// the syntax of bash and zsh, $'…'.
func Quoted(value string) string {
	if value != "" && strings.TrimLeft(value, plain) == "" {
		return value
	}
	if console.Printable(value) != value {
		text := strconv.Quote(value)
		return "$'" + strings.ReplaceAll(text[1:len(text)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}
