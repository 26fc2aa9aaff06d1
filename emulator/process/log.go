package process

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// The limits of Tail.
const (
	tailLines = 15
	tailBytes = 8 << 10
)

// Failure returns the error for a child that ended by itself: what names the child.
// The error says how the child ended, and shows the [Tail] of its output. It wraps Err, and
// also [ErrPortTaken] if the output says so. Call Failure after Done is closed.
func (c *Child) Failure(what string) error {
	words := Tail(c.log, c.from)
	err := fmt.Errorf("%s ended (%w); the end of %s:\n%s", what, c.Err(), c.log, words)
	if portTaken.MatchString(words) {
		return fmt.Errorf("%w: %w", ErrPortTaken, err)
	}
	return err
}

// portTaken matches the message of Go, Java and firebase-tools.
var portTaken = regexp.MustCompile(`(?i)address already in use|port taken`)

// Tail returns the last lines of the log at path, to show in an error: at most 15
// lines and 8 KiB, from the byte from on. Lines of Java's stack traces are left out,
// because the message above them says more. If the log cannot be read, Tail returns
// the reason.
func Tail(path string, from int64) string {
	text, err := lastBytes(path, from)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "\tat ") })
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

func lastBytes(path string, from int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return "", err
	}
	begin := max(from, end-tailBytes)
	text, err := io.ReadAll(io.NewSectionReader(f, begin, end-begin))
	return string(text), err
}
