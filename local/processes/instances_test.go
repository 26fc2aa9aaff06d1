package processes

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/relationindex/emulator/instances"
	"example.com/relationindex/emulator/siteguard"
	"example.com/relationindex/schema"
)

// Sweep has two instances that take one request each. The balancer holds their requests at
// two workers, and lets another function and another project through meanwhile.
func TestBalancerAppliesTableConcurrency(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan string, 100)
	w := newWorkers(nil, schema.Config{NoOwnPosts: true}, "", 2)
	for i := range w.places {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			arrived <- fmt.Sprint(r.URL.Path, " at ", i)
			if strings.HasSuffix(r.URL.Path, "/Sweep") {
				<-release
			}
		}))
		defer server.Close()
		to, err := url.Parse(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		w.places[i].url = to
	}
	s := newServices(instances.Options{}, schema.Config{NoOwnPosts: true}, 2)
	b, err := startBalancer(siteguard.Guard{}, s, w.pick)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.close(); err != nil {
			t.Error(err)
		}
	}()
	var calls sync.WaitGroup
	var got []string
	for range 2 {
		for _, to := range []string{"/Sweep", "/projects/demo-a/Sweep"} {
			calls.Go(func() {
				if answer := post(t, b.url+to); !strings.HasPrefix(answer, "200") {
					t.Errorf("%s: %s", to, answer)
				}
			})
			got = append(got, <-arrived)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"/Sweep at 0", "/Sweep at 1", "/projects/demo-a/Sweep at 0", "/projects/demo-a/Sweep at 1"}, got); diff != "" {
		t.Errorf("arrived (-want +got):\n%s", diff)
	}
	calls.Go(func() { post(t, b.url+"/Sweep") })
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for s.of("/Sweep").Stats().Waiting == 0 { // the third request
		<-tick.C
	}
	for _, to := range []string{"/OnPostWritten", "/x/Sweeper"} {
		if got := post(t, b.url+to); !strings.HasPrefix(got, "200") {
			t.Errorf("%s: %s, want 200", to, got)
		}
	}
	close(release)
	calls.Wait()

	starts := func() int64 { return s.of("/Sweep").Stats().ColdStarts }
	before := starts()
	for worker := range 2 {
		s.stop(worker)
		if started := starts() - before; started != int64(worker+1) {
			t.Errorf("%d instances started after %d workers were killed", started, worker+1)
		}
	}
	if answer := post(t, b.url+"/Sweep"); !strings.HasPrefix(answer, "200") {
		t.Error(answer)
	}
}
