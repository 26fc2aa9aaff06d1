package console

import "github.com/schollz/progressbar/v3"

// Watch is the bar for work that others do, of which Of tells how far it is.
// Until it does, the bar counts nothing. It has no rate and no time to go: who
// watches comes late, and hears of many steps at once. It is nil where Start
// would be.
//
// There is one bar for all that is watched: the library has no others.
func Watch(what string) *Progress {
	to := terminal()
	if to == nil {
		return nil
	}
	return open(to, what, 0, patience, watched(0)...)
}

func watched(total int64) []progressbar.Option {
	return []progressbar.Option{
		progressbar.OptionShowCount(), progressbar.OptionShowTotalBytes(total > 0),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
	}
}

// Of says anew what the work is, and how many of how many steps are done. Both
// may fall, and the total may be unknown at times, -1. A bar would end with its
// last step, so that one shows with End.
func (p *Progress) Of(what string, done, total int64) {
	if p == nil {
		return
	}
	if total <= 0 {
		total = -1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case total != p.total:
		_ = p.bar.Finish() // and so off the screen
		p.draw(what, total, watched(total)...)
	case what != p.what:
		p.what = what
		p.bar.Describe(what)
	}
	if total > 0 {
		done = min(done, total-1)
	}
	_ = p.bar.Set64(done)
}
