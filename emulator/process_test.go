//go:build unix

package emulator

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shell starts a script as the emulator would be, and waits until its log has the word.
func shell(t *testing.T, script, word string) (p *process, logFile string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	logFile = filepath.Join(t.TempDir(), "log")
	log, err := freshLog(logFile)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	p, err = startProcess(sh, []string{"-c", script}, log)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the script says "+word, func() bool {
		text, err := os.ReadFile(logFile)
		return err == nil && strings.Contains(string(text), word)
	})
	return p, logFile
}

func TestStopEndsTheGroup(t *testing.T) {
	p, _ := shell(t, "sleep 1000 & echo started; wait", "started")
	p.stop(time.Hour)
	eventually(t, "the group is gone", func() bool { return !groupExists(p.cmd.Process.Pid) })
	p.stop(time.Hour)
}

func TestStopKillsWhatDoesNotEnd(t *testing.T) {
	p, _ := shell(t, "trap '' TERM; echo started; while :; do sleep 1000; done", "started")
	p.stop(time.Millisecond)
	eventually(t, "the group is gone", func() bool { return !groupExists(p.cmd.Process.Pid) })
}

func TestStartProcessThatIsNone(t *testing.T) {
	log, err := freshLog(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := startProcess(filepath.Join(t.TempDir(), "missing"), nil, log); err == nil {
		t.Error("a missing program was started")
	}
}

func TestLastWords(t *testing.T) {
	p, logFile := shell(t, `seq 10000; printf 'one\ntwo\n\tat java.lang.Thread.run\nthree\n'`, "three")
	<-p.done
	if got, err := p.lastWords(2); err != nil || got != "two\nthree" {
		t.Errorf("got %q, %v", got, err)
	}
	log, err := os.OpenFile(logFile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	second, err := startProcess("/bin/sh", []string{"-c", "echo four"}, log)
	if err != nil {
		t.Fatal(err)
	}
	<-second.done
	if got, err := second.lastWords(2); err != nil || got != "four" {
		t.Errorf("of the second process: got %q, %v", got, err)
	}
}

func TestFreshLog(t *testing.T) {
	used := place(t, "of another day\n", t.TempDir(), "log")
	f, err := freshLog(used)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if text, err := os.ReadFile(used); err != nil || len(text) != 0 {
		t.Errorf("it has %q, %v", text, err)
	}
	if _, err := freshLog(filepath.Join(t.TempDir(), "missing", "log")); err == nil {
		t.Error("a directory that is missing was taken")
	}
}
