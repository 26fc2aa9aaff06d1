package console

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// patience is how long work may take without a sign of life.
const patience = time.Second

// Progress is the bar of one piece of work. It shows itself when the work has
// taken a second, so that short work leaves no trace, and is gone when the work
// is. A nil Progress shows nothing; all methods may be called on it, by several
// goroutines at once.
type Progress struct {
	gate  *gate // between bar and terminal
	timer *time.Timer

	mu    sync.Mutex // guards the rest, which Of replaces
	bar   *progressbar.ProgressBar
	what  string
	total int64 // of the bar; -1: it is a spinner
}

// Start is the bar for what takes total steps: -1 when nobody knows how many,
// 0 for one that counts none. It is nil unless standard output is a terminal.
// The bar goes to standard error, or to standard output when only that is a
// terminal.
func Start(what string, total int64) *Progress {
	to := terminal()
	if to == nil {
		return nil
	}
	return start(to, what, total, patience)
}

// terminal is where a bar goes; nil: nowhere.
func terminal() *os.File {
	switch {
	case !isTerminal(os.Stdout):
		return nil
	case isTerminal(os.Stderr):
		return os.Stderr
	default:
		return os.Stdout
	}
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func start(to io.Writer, what string, total int64, after time.Duration) *Progress {
	var counts []progressbar.Option
	if total != 0 {
		counts = []progressbar.Option{progressbar.OptionShowCount(), progressbar.OptionShowIts()}
	}
	return open(to, what, total, after, counts...)
}

// open is a bar that is seen after a while.
func open(to io.Writer, what string, total int64, after time.Duration, more ...progressbar.Option) *Progress {
	p := &Progress{gate: &gate{to: to}}
	p.draw(what, total, more...)
	p.timer = time.AfterFunc(after, p.appear)
	return p
}

// appear draws the bar as it is: the next step may be far.
func (p *Progress) appear() {
	p.gate.open()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.RenderBlank()
}

// draw gives the work a new bar.
func (p *Progress) draw(what string, total int64, more ...progressbar.Option) {
	options := append([]progressbar.Option{
		progressbar.OptionSetWriter(p.gate),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
	}, more...)
	if total <= 0 {
		total = -1 // which makes it a spinner
		options = append(options, progressbar.OptionSpinnerType(14))
	}
	p.what, p.total = what, total
	p.bar = progressbar.NewOptions64(total, options...)
}

// Set says how many steps are done. It is cheap enough to call at every step.
func (p *Progress) Set(done int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Set64(done) // a closed terminal is no reason to stop the work
}

// End removes the bar. It may be called again.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Finish()
	p.gate.close()
}

// Above calls work, which prints, without the bar in its way. The bar comes back
// with the next step.
func (p *Progress) Above(work func()) {
	if p == nil {
		work()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.bar.Clear()
	p.gate.hold(work)
}
