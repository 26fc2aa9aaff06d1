package console

import (
	"io"
	"sync"
)

// gate passes text on between open and close, and drops it before and after: a
// bar may count from the beginning without being seen, and what its goroutines
// draw late does not get through.
type gate struct {
	to io.Writer

	mu            sync.Mutex
	opened, ended bool
}

// Write never fails: nobody would hear of it.
func (g *gate) Write(text []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.opened && !g.ended {
		_, _ = g.to.Write(text)
	}
	return len(text), nil
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = true
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = true
}

// hold does work while nothing passes.
func (g *gate) hold(work func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	work()
}
