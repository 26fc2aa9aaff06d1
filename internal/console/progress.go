package console

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// showAfter is how long work takes before its bar is shown: what is over at once
// needs none.
const showAfter = time.Second

// clearLine is what a bar's own clearing writes too.
const clearLine = "\033[2K\r"

// Progress is a bar on the terminal, which is gone when the work is. Without a
// terminal it shows nothing. Several goroutines may call its methods at once.
type Progress struct {
	bar  *progressbar.ProgressBar
	set  sync.Mutex // Set64 is two steps
	from time.Time  // nothing is shown before

	mu    sync.Mutex // guards the terminal: the bar also draws by a goroutine of its own
	to    io.Writer  // nil: nowhere
	ended bool       // nothing is shown any more
}

// Start returns the bar for work of total steps: -1 when nobody knows how many,
// 0 for work that counts none. It shows nothing unless standard output is a
// terminal. It draws on standard error, or on standard output when only that is a
// terminal.
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

// Write writes what the bar draws, while it is shown.
func (p *Progress) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.shown() {
		return len(text), nil
	}
	return p.to.Write(text)
}

func (p *Progress) shown() bool { return p.to != nil && !p.ended && !time.Now().Before(p.from) }

// Set says how many steps are done. It is cheap enough to call at every step.
func (p *Progress) Set(done int64) {
	p.set.Lock()
	defer p.set.Unlock()
	_ = p.bar.Set64(done) // a closed terminal is no reason to stop the work
}

// Describe says anew what the work is.
func (p *Progress) Describe(what string) { p.bar.Describe(Printable(what)) }

// End removes the bar. It may be called again.
func (p *Progress) End() {
	_ = p.bar.Finish()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true // the bar's goroutine may draw once more
}

// Above calls say without the bar in its way, which comes back later.
func (p *Progress) Above(say func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown() {
		_, _ = io.WriteString(p.to, clearLine)
	}
	say()
}
