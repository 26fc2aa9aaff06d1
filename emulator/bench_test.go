package emulator_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"golang.org/x/sync/errgroup"
)

// BenchmarkDelivery measures the way from 5,000 small writes to a function that does nothing, until all of it is idle.
func BenchmarkDelivery(b *testing.B) {
	const writes, perCommit = 5000, 500
	project := projectOf(b)
	register(b, project, "c/{id}", function(b, func(http.ResponseWriter, *http.Request) {}))
	round := 0
	for b.Loop() {
		round++
		g, ctx := errgroup.WithContext(b.Context())
		g.SetLimit(4)
		for first := 0; first < writes; first += perCommit {
			g.Go(func() error { return commitRange(ctx, project, fmt.Sprint(round), first, perCommit) })
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
		idle(b, project)
	}
	if got := shared(b).Broker().Stats(project).Events; got != int64(round*writes) {
		b.Errorf("%d events came from %d writes", got, round*writes)
	}
	b.ReportMetric(float64(round*writes)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkIdle measures what it costs to find out that an idle project is idle.
func BenchmarkIdle(b *testing.B) {
	project := projectOf(b)
	register(b, project, "c/{id}", function(b, func(http.ResponseWriter, *http.Request) {}))
	for b.Loop() {
		idle(b, project)
	}
}

func commitRange(ctx context.Context, project, value string, first, n int) error {
	documents := make([]string, n)
	for i := range documents {
		documents[i] = fmt.Sprintf("c/%d", first+i)
	}
	return commit(ctx, project, value, documents...)
}
