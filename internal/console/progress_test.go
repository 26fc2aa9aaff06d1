package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgressLeavesNothingOnTheTerminal(t *testing.T) {
	for name, total := range map[string]int64{"known": 10, "unknown": -1, "uncounted": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var screen strings.Builder
				p := start(&screen, "rows", total)
				pass(showAfter)
				var group sync.WaitGroup
				for n := range int64(10) {
					group.Go(func() {
						p.Set(n)
						p.Above(func() { fmt.Fprintln(&screen, "a line") })
					})
				}
				group.Wait()
				p.Describe("columns")
				p.End()
				p.End()
				pass(showAfter) // the bar's goroutine ends
				text := screen.String()
				if !strings.Contains(text, "rows") || strings.Count(text, clearLine+"a line\n") != 10 {
					t.Errorf("the terminal gets %q", text)
				}
				if !strings.HasSuffix(text, clearLine) {
					t.Errorf("the bar is left on the terminal: %q", text)
				}
			})
		})
	}
}

func TestProgressShowsNothingInTheFirstSecondAndAfterTheEnd(t *testing.T) {
	for _, total := range []int64{10, -1, 0} {
		synctest.Test(t, func(t *testing.T) {
			var screen strings.Builder
			work := func(p *Progress) {
				p.Set(1)
				p.Describe("columns")
				p.Above(func() { fmt.Fprintln(&screen, "a line") })
			}
			brief := start(&screen, "rows", total)
			work(brief)
			pass(showAfter - time.Nanosecond)
			work(brief)
			brief.End()
			if screen.String() != "a line\na line\n" {
				t.Errorf("of work that is over within a second, the terminal gets %q", &screen)
			}
			long := start(&screen, "rows", total)
			pass(2 * showAfter)
			work(long)
			long.End()
			screen.Reset()
			work(long)
			_, _ = long.Write([]byte("as the bar's goroutine may"))
			pass(showAfter)
			if screen.String() != "a line\n" {
				t.Errorf("after the end the terminal gets %q", &screen)
			}
		})
	}
}

func TestNoProgressWithoutATerminal(t *testing.T) {
	stdout, stderr := os.Stdout, os.Stderr
	t.Cleanup(func() { os.Stdout, os.Stderr = stdout, stderr })
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	os.Stdout, os.Stderr = file, file
	for _, total := range []int64{10, -1, 0} {
		p := Start("rows", total)
		p.Set(1)
		p.Describe("columns")
		p.Above(func() { fmt.Fprintln(file, "a line") })
		p.End()
	}
	if text, err := os.ReadFile(file.Name()); err != nil || string(text) != "a line\na line\na line\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// pass lets time pass on the clock of synctest, which takes none.
func pass(d time.Duration) { time.Sleep(d) } //nolint:forbidigo // see above
