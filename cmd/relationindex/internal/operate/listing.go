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

// listing prints what a walk over documents finds, above its bar; what it finds by cause, at the end.
// Several goroutines may call add, violation and skip at once.
type listing struct {
	bar    *console.Progress
	asJSON bool
	print  func(object, text any) error // one of the two

	mu     sync.Mutex
	found  int
	causes causes
	err    error // of print, which is not called again
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

// add prints what was found on a line of its own, whatever a client wrote into it.
func (l *listing) add(v any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.found++
	l.show(v)
}

// violation is add for one of many, which have few causes: it prints these, with a count and the first few. JSON
// has all.
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

// skip groups a document that was left out, which is no reason to fail.
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

// end prints what was grouped, and the last line after a walk that ended in err. It returns
// command.ErrReported if anything was found.
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
