package console

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// showAfter is the time from the start of work to the start of its bar. Short work
// needs no bar.
const showAfter = time.Second

// clearLine clears a line, as the bar itself does.
const clearLine = "\033[2K\r"

// Progress is a bar on the terminal. The bar disappears at the end of the work. Without
// a terminal it shows nothing. Several goroutines may call its methods at once.
type Progress struct {
	bar  *progressbar.ProgressBar
	set  sync.Mutex // because Set64 has two steps
	from time.Time  // start of the bar

	mu    sync.Mutex // guards the terminal, because the bar also draws in a goroutine of its own
	to    io.Writer  // nil: no terminal
	ended bool       // the bar has ended
}

// Start returns the bar for work of total steps: -1 if the total is unknown, 0 for work
// without steps. It draws on standard error, or on standard output if only standard
// output is a terminal. It shows nothing unless standard output is a terminal.
func Start(what string, total int64) *Progress {
	switch {
	case !isTerminal(os.Stdout):
		return start(nil, what, total)
	case isTerminal(os.Stderr):
		return start(os.Stderr, what, total)
	default:
		return start(os.Stdout, what, total)
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func start(to io.Writer, what string, total int64) *Progress {
	p := &Progress{to: to, from: time.Now().Add(showAfter)}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p),
		progressbar.OptionSetVisibility(to != nil),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionSetDescription(Printable(what)),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
	}
	if total == 0 {
		total = -1
	} else {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowIts())
	}
	p.bar = progressbar.NewOptions64(total, options...)
	return p
}

// Write writes the drawing of the bar, while the bar is shown.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shown() {
		return len(text), nil
	}
	return p.to.Write(text)
}

func (p *Progress) shown() bool { return p.to != nil && !p.ended && !time.Now().Before(p.from) }

// Set sets the number of finished steps. It is cheap enough to call at every step.
func (p *Progress) Set(done int64) {
	p.set.Lock()
	defer p.set.Unlock()
	_ = p.bar.Set64(done) // a closed terminal must not stop the work
}

// Describe changes the description of the work.
func (p *Progress) Describe(what string) { p.bar.Describe(Printable(what)) }

// End removes the bar. You may call it again.
func (p *Progress) End() {
	_ = p.bar.Finish()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true // the bar's goroutine may draw once more
}

// Above removes the bar for a call of say. The bar is drawn again later.
func (p *Progress) Above(say func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown() {
		_, _ = io.WriteString(p.to, clearLine)
	}
	say()
}
