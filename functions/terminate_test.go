package functions_test

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"example.com/relationindex/internal/metrics/metricstest"
	"example.com/relationindex/internal/process"
	"example.com/relationindex/internal/testkit"
)

// What an instance has counted since its last export is sent when it is told to end.
func TestAnInstanceThatEndsSendsItsMetrics(t *testing.T) {
	t.Parallel()
	collector := metricstest.Start(t)
	program := filepath.Join(t.TempDir(), "deployed")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../bench/scale/internal/deployed").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	port := freePort(t)
	child, err := process.Start([]string{program, port}, []string{
		"GOOGLE_CLOUD_PROJECT=demo-end", "FIRESTORE_EMULATOR_HOST=" + testkit.Machine(t).Emulator.FirestoreHost(),
		"RELATIONINDEX_OTLP_ENDPOINT=" + collector.URL,
	}, log)
	if err != nil {
		t.Fatal(err)
	}
	defer child.Stop(0)
	sweep := func() bool {
		resp, err := http.Post("http://127.0.0.1:"+port+"/Sweep", "", nil)
		if err == nil {
			_ = resp.Body.Close()
		}
		return err == nil && resp.StatusCode == http.StatusOK
	}
	limit := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !sweep() { // until it serves
		select {
		case <-tick.C:
		case <-child.Done():
			t.Fatal(child.Failure("the functions"))
		case <-limit:
			t.Fatal("the functions do not serve")
		}
	}
	for range 2 {
		if !sweep() {
			t.Fatal(process.Tail(log.Name(), 0))
		}
	}
	child.Stop(10 * time.Second) // SIGTERM
	const runs = "relationindex.runs{function=Sweep,outcome=nothing}"
	points, err := collector.Points()
	if got := points[runs].Count; err != nil || got != 3 || collector.Requests() > 2 {
		t.Errorf("%d runs in %d requests (%v), want 3 in at most 2\n%s", got, collector.Requests(), err, process.Tail(log.Name(), 0))
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
