package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"example.com/relationindex/internal/cli/command"
	"example.com/relationindex/internal/cli/console"
)

// listing prints what a walk over documents finds, above its bar.
type listing struct {
	bar   *console.Progress
	print func(object, text any) error // one of the two
	found int
	err   error // of print, which is not called again
}

func newListing(what string, asJSON bool, out io.Writer) *listing {
	l := &listing{bar: console.Start(what, -1)}
	l.print = func(_, text any) error {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	if asJSON {
		l.print = func(object, _ any) error { return json.NewEncoder(out).Encode(object) }
	}
	return l
}

// add prints what was found on a line of its own, whatever a client wrote into it.
func (l *listing) add(v any) {
	l.found++
	if l.err == nil {
		l.bar.Above(func() { l.err = l.print(v, console.Printable(fmt.Sprint(v))) })
	}
}

// note is add for what is no reason to fail.
func (l *listing) note(v any) {
	l.add(v)
	l.found--
}

// end prints the last line after a walk that ended in err. It returns command.ErrReported
// if anything was found.
func (l *listing) end(err error, object any, text string) error {
	l.bar.End()
	if err := errors.Join(err, l.err); err != nil {
		return err
	}
	if err := l.print(object, text); err != nil {
		return err
	}
	if l.found > 0 {
		return command.ErrReported
	}
	return nil
}
