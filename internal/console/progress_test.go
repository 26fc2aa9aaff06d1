package console

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen is a terminal's text so far.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestProgressOfShortWorkIsNotSeen(t *testing.T) {
	var s screen
	p := start(&s, "rows", 10, time.Hour)
	p.Set(5)
	p.Above(func() { fmt.Fprintln(&s, "a line") })
	p.End()
	p.Set(6)
	p.End()
	if s.String() != "a line\n" {
		t.Errorf("the screen has %q", s.String())
	}
}

func TestProgressOfLongWork(t *testing.T) {
	for name, total := range map[string]int64{"known": 10, "unknown": -1, "uncounted": 0} {
		t.Run(name, func(t *testing.T) {
			var s screen
			p := start(&s, "rows", total, time.Hour)
			p.gate.open() // as when the time has come
			var group sync.WaitGroup
			for n := range int64(10) {
				group.Go(func() { p.Set(n) })
			}
			group.Wait()
			for range time.Tick(time.Millisecond) { // it draws itself now and then
				if p.Set(9); strings.Contains(s.String(), "rows") {
					break
				}
			}
			p.Above(func() { fmt.Fprintln(&s, "a line") })
			p.Set(10)
			p.End()
			text := s.String()
			if !strings.Contains(text, "\ra line\n") {
				t.Errorf("the line is not where the bar was: %q", text)
			}
			if !strings.HasSuffix(text, " \r") {
				t.Errorf("the bar is left on the screen: %q", text)
			}
			p.Set(11)
			p.End()
			if s.String() != text {
				t.Errorf("after its end the screen gets %q", strings.TrimPrefix(s.String(), text))
			}
		})
	}
}

func TestNoProgressWithoutATerminal(t *testing.T) {
	stdout := os.Stdout
	t.Cleanup(func() { os.Stdout = stdout })
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	os.Stdout = file
	p := Start("rows", 10)
	if p != nil {
		t.Fatal("there is a bar on a file")
	}
	p.Set(1)
	printed := false
	p.Above(func() { printed = true })
	p.End()
	if !printed {
		t.Error("Above did not print")
	}
}

// A bar does not wait for the next step to be seen.
func TestProgressAppears(t *testing.T) {
	var s screen
	p := start(&s, "rows", 10, time.Millisecond)
	defer p.End()
	deadline := time.Now().Add(10 * time.Second)
	for range time.Tick(time.Millisecond) {
		if strings.Contains(s.String(), "rows") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("there is no bar")
		}
	}
}

// What is watched comes to have a total, gets another, loses it, and begins
// again.
func TestWatchFollowsWhatItIsTold(t *testing.T) {
	var s screen
	p := open(&s, "2 jobs left", 0, time.Hour, watched(0)...)
	p.gate.open()
	for _, told := range []struct {
		what        string
		done, total int64
		shows       string
	}{
		{"2 jobs left", 7, -1, "2 jobs left (7)"},
		{"2 jobs left", 3, -1, "2 jobs left (3)"},
		{"1 job left", 3, -1, "1 job left (3)"},
		{"1 job left", 10, 40, "1 job left  25% |██████                  | (10/40)"},
		{"1 job left", 40, 40, "(39/40)"},
		{"1 job left", 40, 80, "1 job left  50% |████████████            | (40/80)"},
		{"1 job left", 8, 16, "(8/16)"},
		{"1 job left", 0, 0, "1 job left (0)"},
		{"1 job left", 4, 16, "(4/16)"},
	} {
		before, deadline := len(s.String()), time.Now().Add(10*time.Second)
		for range time.Tick(time.Millisecond) { // it draws itself now and then
			if p.Of(told.what, told.done, told.total); strings.Contains(s.String()[before:], told.shows) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("told %+v the screen gets %q", told, s.String()[before:])
			}
		}
	}
	p.Above(func() { fmt.Fprintln(&s, "a line") })
	p.End()
	if text := s.String(); !strings.Contains(text, "\ra line\n") {
		t.Errorf("the line is not where the bar was: %q", text)
	}
}
