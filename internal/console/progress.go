package console

import (
	"io"
	"os"
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
	bar   *progressbar.ProgressBar
	gate  *gate // between bar and terminal
	timer *time.Timer
}

// Start is the bar for what takes total steps: -1 when nobody knows how many,
// 0 for one that counts none. It is nil unless standard output is a terminal.
// The bar goes to standard error, or to standard output when only that is a
// terminal.
func Start(what string, total int64) *Progress {
	if !isTerminal(os.Stdout) {
		return nil
	}
	to := os.Stderr
	if !isTerminal(to) {
		to = os.Stdout
	}
	return start(to, what, total, patience)
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

func start(to io.Writer, what string, total int64, after time.Duration) *Progress {
	p := &Progress{gate: &gate{to: to}}
	options := []progressbar.Option{
		progressbar.OptionSetWriter(p.gate),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWidth(24),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish(),
	}
	if total != 0 {
		options = append(options, progressbar.OptionShowCount(), progressbar.OptionShowIts())
	}
	if total <= 0 {
		total = -1 // which makes it a spinner
		options = append(options, progressbar.OptionSpinnerType(14))
	}
	p.bar = progressbar.NewOptions64(total, options...)
	p.timer = time.AfterFunc(after, p.gate.open)
	return p
}

// Set says how many steps are done. It is cheap enough to call at every step.
func (p *Progress) Set(done int64) {
	if p != nil {
		_ = p.bar.Set64(done) // a closed terminal is no reason to stop the work
	}
}

// End removes the bar. It may be called again.
func (p *Progress) End() {
	if p != nil {
		p.timer.Stop()
		_ = p.bar.Finish()
		p.gate.close()
	}
}

// Above calls work, which prints, without the bar in its way. The bar comes back
// with the next step.
func (p *Progress) Above(work func()) {
	if p == nil {
		work()
		return
	}
	_ = p.bar.Clear()
	p.gate.hold(work)
}
