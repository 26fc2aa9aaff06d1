package operate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"example.com/relationindex/audit/strange"
	"example.com/relationindex/audit/verify"
	"example.com/relationindex/cmd/relationindex/internal/command"
	"example.com/relationindex/internal/console"
)

// listing prints the findings of a walk over documents above its progress bar. It prints findings that it groups
// by cause at the end. Several goroutines may call add, violation and skip at once.
type listing struct {
	bar    *console.Progress
	asJSON bool
	print  func(object, text any) error // prints object or text

	mu     sync.Mutex
	found  int
	causes causes
	err    error // error of print; print is not called again
}

func newListing(what string, asJSON bool, out io.Writer) *listing {
	l := &listing{bar: console.Start(what, -1), asJSON: asJSON}
	l.print = func(_, text any) error {
		_, err := fmt.Fprintln(out, text)
		return err
	}
	if asJSON {
		l.print = func(object, _ any) error { return json.NewEncoder(out).Encode(object) }
	}
	return l
}

// add prints a finding on a line of its own. A client's text in the finding cannot break the line.
func (l *listing) add(v any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found++
	l.show(v)
}

// violation adds a violation. There may be many violations with few causes, so end prints each cause with a count
// and the first few documents. JSON has all violations.
func (l *listing) violation(v verify.Violation) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found++
	if l.asJSON {
		l.show(v)
	} else {
		l.causes.violation(v)
	}
}

// skip adds a document that was left out. Such a document does not make the command fail.
func (l *listing) skip(s strange.Skipped) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asJSON {
		l.show(s)
	} else {
		l.causes.add("skipped: "+s.Why, s.String())
	}
}

func (l *listing) show(v any) {
	if l.err == nil {
		l.bar.Above(func() { l.err = l.print(v, console.Printable(fmt.Sprint(v))) })
	}
}

// end prints the causes, after a walk that ended with err. If the walk or a print failed, end returns that error.
// Otherwise it also prints the last line, and returns command.ErrReported if there were findings.
func (l *listing) end(err error, object any, text string) error {
	l.bar.End()
	for _, line := range l.causes.lines() {
		if l.err == nil {
			l.err = l.print(nil, console.Printable(line))
		}
	}
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
