package scale

import (
	"context"
	"errors"
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

	"example.com/relationindex/emulator/process"
)

// starts is how often each program is started.
const starts = 20

// programs are the ones that are started, each with the function that it serves:
// the least that the functions framework serves, the same with a client of Firestore
// linked in and not used, and what is deployed.
var programs = []struct{ name, target string }{
	{"hello", "Hello"},
	{"linked", "Hello"},
	{"deployed", "OnFollowerWritten"},
}

// onCloudRun is what makes the functions check their environment when they start.
var onCloudRun = []string{"K_SERVICE=function", "GOOGLE_CLOUD_PROJECT=demo-scale"}

// BenchmarkStartup is the time from the start of a process, with the environment of
// production, until it answers a request, the median of 20, the programs in turn. The
// processor time is steadier on a busy machine; it has a little of what follows.
func BenchmarkStartup(b *testing.B) {
	dir := b.TempDir()
	for _, p := range programs {
		build(b, dir, p.name)
	}
	for b.Loop() {
		took, used := map[string][]time.Duration{}, map[string][]time.Duration{}
		for range starts {
			for _, p := range programs {
				wall, cpu := ready(b, filepath.Join(dir, p.name), append([]string{"FUNCTION_TARGET=" + p.target}, onCloudRun...)...)
				took[p.name], used[p.name] = append(took[p.name], wall), append(used[p.name], cpu)
			}
		}
		median := func(of []time.Duration) float64 {
			slices.Sort(of)
			return float64(of[starts/2]) / float64(time.Millisecond)
		}
		b.ReportMetric(0, "ns/op")
		for _, p := range programs {
			b.ReportMetric(median(took[p.name]), p.name+"-ms")
			b.ReportMetric(median(used[p.name]), p.name+"-cpu-ms")
		}
		b.ReportMetric(median(took["deployed"])/median(took["hello"]), "of-hello")
		b.ReportMetric(median(took["deployed"])/median(took["linked"]), "of-linked")
		b.ReportMetric(median(used["deployed"])/median(used["hello"]), "cpu-of-hello")
		b.ReportMetric(median(used["deployed"])/median(used["linked"]), "cpu-of-linked")
	}
}

// A process that is not deployed does nothing before its first event but to
// register the functions: it starts without configuration and without a database,
// and says what is missing when it is needed. One that is deployed checks its
// configuration, ends if that is wrong, and needs no database either.
func TestStartNeedsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	build(t, dir, "deployed")
	program := filepath.Join(dir, "deployed")
	_, configured := serve(t, program, onCloudRun...)
	configured.Stop(0)
	cmd := exec.CommandContext(t.Context(), program, "0")
	cmd.Env = append([]string{"RELATIONINDEX_CAPACITY=many"}, onCloudRun...)
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 || !strings.Contains(string(out), "RELATIONINDEX_CAPACITY") {
		t.Errorf("with a wrong variable it ends with %v and says %s; want 1 and the variable", cmd.ProcessState, out)
	}
	url, child := serve(t, program)
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
	if want := "the function is not configured"; resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), want) {
		t.Errorf("an event without configuration got %s: %s; want 503: %s", resp.Status, text, want)
	}
}

func build(tb testing.TB, dir, name string) {
	tb.Helper()
	out, err := exec.CommandContext(tb.Context(), "go", "build", "-o", filepath.Join(dir, name), "./internal/"+name).CombinedOutput()
	if err != nil {
		tb.Fatalf("build %s: %v\n%s", name, err, out)
	}
}

// ready is the time from the start of a program until it answers, and the processor
// time that it took until then.
func ready(tb testing.TB, program string, env ...string) (wall, cpu time.Duration) {
	tb.Helper()
	started := time.Now()
	_, child := serve(tb, program, env...)
	wall = time.Since(started)
	child.Kill()
	<-child.Done()
	var ended *exec.ExitError
	if !errors.As(child.Err(), &ended) {
		tb.Fatal(child.Failure(program))
	}
	return wall, ended.UserTime() + ended.SystemTime()
}

// serve starts a program with nothing but env in its environment, and returns its
// URL when it answers. It asks every tenth of a millisecond.
func serve(tb testing.TB, program string, env ...string) (url string, child *process.Child) {
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
	child, err = process.Start([]string{program, port}, append([]string{}, env...), log)
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

// answers asks once, for what the server answers without the function: a function
// would connect to the database.
func answers(ctx context.Context, address string) bool {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err := fmt.Fprintf(conn, "OPTIONS * HTTP/1.1\r\nHost: %s\r\n\r\n", address); err != nil {
		return false
	}
	_, err = conn.Read(make([]byte, 1))
	return err == nil
}
