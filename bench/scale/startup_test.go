package scale

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/relationindex/internal/process"
)

// starts is how often each program is started.
const starts = 20

// programs are the ones that are started: the least that the functions framework
// serves, the same with a client of Firestore linked in and not used, and what is deployed.
var programs = []string{"hello", "linked", "deployed"}

// BenchmarkStartup is the time from the start of a process until it answers a
// request, the median of 20, the programs in turn.
func BenchmarkStartup(b *testing.B) {
	dir := b.TempDir()
	for _, name := range programs {
		build(b, dir, name)
	}
	for b.Loop() {
		took := map[string][]time.Duration{}
		for range starts {
			for _, name := range programs {
				took[name] = append(took[name], ready(b, filepath.Join(dir, name)))
			}
		}
		median := func(name string) float64 {
			slices.Sort(took[name])
			return float64(took[name][starts/2]) / float64(time.Millisecond)
		}
		b.ReportMetric(0, "ns/op")
		for _, name := range programs {
			b.ReportMetric(median(name), name+"-ms")
		}
		b.ReportMetric(median("deployed")/median("hello"), "of-hello")
		b.ReportMetric(median("deployed")/median("linked"), "of-linked")
	}
}

// A process does nothing before its first event but to register the functions: it
// starts without configuration and without a database, and says what is missing
// when it is needed.
func TestStartNeedsNothing(t *testing.T) {
	dir := t.TempDir()
	build(t, dir, "deployed")
	url, child := serve(t, filepath.Join(dir, "deployed"))
	defer child.Stop(0)
	resp, err := http.Post(url+"/OnFollowerWritten", "application/protobuf", strings.NewReader(""))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := "the function is not configured"; resp.StatusCode != http.StatusInternalServerError || !strings.Contains(string(text), want) {
		t.Errorf("an event without configuration got %s: %s; want 500: %s", resp.Status, text, want)
	}
}

func build(tb testing.TB, dir, name string) {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", filepath.Join(dir, name), "./internal/"+name).CombinedOutput()
	if err != nil {
		tb.Fatalf("build %s: %v\n%s", name, err, out)
	}
}

// ready is the time from the start of a program until it answers.
func ready(tb testing.TB, program string) time.Duration {
	tb.Helper()
	started := time.Now()
	_, child := serve(tb, program)
	defer child.Stop(0)
	return time.Since(started)
}

// serve starts a program with an empty environment, and returns its URL when it
// answers. It asks every tenth of a millisecond.
func serve(tb testing.TB, program string) (url string, child *process.Child) {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		tb.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	log, err := os.CreateTemp(tb.TempDir(), "log")
	if err != nil {
		tb.Fatal(err)
	}
	defer log.Close()
	child, err = process.Start([]string{program, port}, []string{}, log)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tb.Context(), time.Minute)
	defer cancel()
	ask := time.NewTicker(100 * time.Microsecond)
	defer ask.Stop()
	for !answers(ctx, address) {
		select {
		case <-ask.C:
		case <-child.Done():
			tb.Fatal(child.Failure(program))
		case <-ctx.Done():
			child.Stop(0)
			tb.Fatal(ctx.Err())
		}
	}
	return "http://" + address, child
}

// answers asks once.
func answers(ctx context.Context, address string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}
